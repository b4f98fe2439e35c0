// Lists of numbers as text in which numbers that follow one another are written as one: "0-99 105;7 9-11". Of a million
// numbers that are mostly in order that is little, and reading it takes milliseconds.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discern {

/// Lists of numbers, in their order; there is no text of a single list that is empty.
std::string runs_text(std::span<const std::vector<std::size_t>> lists);
/// @param most  no number is larger, and all lists together have no more numbers
/// @throws Error if runs_text makes no such text
std::vector<std::vector<std::size_t>> runs_from(std::string_view text, std::size_t most);

} // namespace discern
