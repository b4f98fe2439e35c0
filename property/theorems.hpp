// What follows from the shape of a tree alone, once it is known that the unit computes what such a tree does: because
// both are one term.
#pragma once

#include "models/unit.hpp"

#include <string>
#include <string_view>

namespace discern::property {

inline constexpr const char* by_rounded_once = "terms, the exact sum is rounded once";

/// Whether d is the exact sum of all products and c, rounded once as IEEE 754 has it, whatever the mode: then it is a
/// neighbour of the exact result, nearest if the mode is, and infinite only where that is beyond the largest number.
bool is_rounded_once(const Unit& unit);

/// Whether the unit is made of exact sums and roundings alone. Both never lower their result when an operand grows, so
/// the unit does not either.
bool is_made_of_exact_sums(const Unit& unit);

/// What proves that property of the unit here; "" if nothing does.
std::string theorem_for(std::string_view property, const Unit& unit);

} // namespace discern::property
