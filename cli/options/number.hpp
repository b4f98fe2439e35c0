// Numbers on a command line: one way to read them, for all options.
//
// A number is written in decimal, with a fraction or an exponent if one likes: 1000000, 1e6, 0.5, 2.5e-1. What is not a
// number, or not in the range that makes sense, is refused with a sentence; nothing is truncated, wrapped or rounded
// away.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace discern::cli {

/// The whole numbers that an option takes, both ends included.
struct WholeRange {
    std::uint64_t least = 0;
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

/// The whole number that the text is: "1000000", "1e6", "2.5e3". Nothing if it is anything else, negative, or 2^64 or
/// more.
std::optional<std::uint64_t> whole_number(std::string_view text);

/// The finite number that the text is, to the nearest binary64. Nothing if it is anything else, or too large.
std::optional<double> real_number(std::string_view text);

/// @throws Error, whose sentence has the text and what would be right
std::uint64_t require_whole(std::string_view text, WholeRange range);
/// Seconds: a number of 0 or more, or only above 0. @throws Error as above
double require_seconds(std::string_view text, bool may_be_zero);
/// Any finite number. @throws Error as above
double require_real(std::string_view text);

} // namespace discern::cli
