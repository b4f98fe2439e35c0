// The options that more than one command has: name, values and words of each, once.
#pragma once

#include "number.hpp"

#include <span>
#include <string>
#include <string_view>

namespace discern::cli {

enum class Takes : std::uint8_t {
    nothing, ///< a flag
    whole,   ///< a whole number in a range
    seconds, ///< a number of seconds; with range.least 1 it must be above 0
    text,
};

struct SharedOption {
    std::string_view name; ///< "--seed"
    Takes takes;
    std::string_view value; ///< what the help calls the value
    std::string_view text;  ///< what it means
    WholeRange range = {};
};

/// All of them, by name.
std::span<const SharedOption> shared_options();
/// @throws std::logic_error if there is none of that name
const SharedOption& shared_option(std::string_view name);

/// What is wrong with a file for --svg, which is a picture in SVG, or in PDF where rsvg-convert is; empty: nothing.
std::string why_no_svg(const std::string& path);

} // namespace discern::cli
