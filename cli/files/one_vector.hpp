// One vector in options: --a … --b … --sa … --sb … --c …, as patterns or as numbers.
#pragma once

#include "cli/base/command.hpp"
#include "cli/options/options.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace discern::cli {

struct OneVector {
    std::string a, b, sa, sb, c;
    bool numbers = false;
    std::string round = "rne";

    /// @param file      the argument beside which they cannot be given, if it is one by itself
    /// @param of_which  what --numbers is of
    void add_to(CommandLine& line, std::optional<Option> file, std::string_view of_which);
    static bool is_given(const CommandLine& line);
    /// Says on standard error how many numbers were rounded.
    /// @throws Error for a pattern, a number or a count that cannot be
    Vector vector(const Shape& shape, const Streams& io) const;
};

/// The vector in options, as patterns: "--a 3c00,0000 --b … --c …".
std::string as_options(const Shape& shape, const Vector& vector);

/// The same for people, who read no thousands of patterns: of more than 64 products where they are.
std::string shown_inputs(const Shape& shape, const Vector& vector);

/// Says on standard error how many numbers of the input were rounded, if any were.
void report_rounded(std::uint64_t rounded, const std::string& mode, const Streams& io);

} // namespace discern::cli
