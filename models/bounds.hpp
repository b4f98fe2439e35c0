// How much is read of what others wrote. A file of a few bytes can stand for any number of them (a hole in a file, a
// compressed array, a program that does not stop writing), so everything that is kept whole has a bound, in one table.
//
// More is allowed by a word in the environment: DISCERN_BOUNDS="line=64M,arrays=8G".
#pragma once

#include <cstdint>
#include <istream>
#include <span>
#include <string>
#include <string_view>

namespace discern {

enum class Bounded : std::uint8_t {
    line,   ///< a line of vectors, of a table, of a space
    text,   ///< a text that is kept whole: designs and what is made of them
    arrays, ///< what compressed arrays become beyond the bytes that they have
    output, ///< what a program wrote that is run to its end
};

struct BoundRow {
    Bounded what;
    std::string_view name;     ///< in DISCERN_BOUNDS
    std::uint64_t most;        ///< bytes, unless the environment says otherwise
    std::string_view sentence; ///< "a line"
};

/// The table of them all.
std::span<const BoundRow> bounds();

/// In bytes. @throws Error if DISCERN_BOUNDS is none
std::uint64_t most_of(Bounded what);

/// "more than 16 MiB in a line are not read; DISCERN_BOUNDS=line=32M in the environment allows more"
std::string too_much(Bounded what);

/// A line without its end, as std::getline gives it. @param place  "FILE:LINE: ", of what cannot be read
/// @throws Error if it is longer than the bound, or has a zero byte, which no text has
bool next_line(std::istream& in, std::string& line, const std::string& place);

/// All that is left of a text. @throws Error if that is more than the bound, or has a zero byte
std::string whole_text(std::istream& in, const std::string& name);

} // namespace discern
