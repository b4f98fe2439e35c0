// What follows from the shape of a tree alone, once it is known that the unit computes what such a tree does: because
// both are one term.
#pragma once

#include "models/unit.hpp"

#include <optional>
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

/// Whether −a and −c take the same way through the tree with the other sign: every rounding is to zero, to nearest or
/// to odd, overflow and flushing look at magnitudes, and no sum has a register, a sticky place or a frame. Products and
/// c change their sign and nothing else; E knows exponents alone; and what holds of all terms of a sum holds of it.
/// Signs of zeros may differ, and no other result depends on one without a frame.
bool treats_signs_alike(const Unit& unit);

/// Whether a product of 0 and x is to its sum what one of 0 and 0 is: no sum reads the exponent that a zero product's
/// fields have, or its sign (but for that of a zero result). A group's exponent is that of its scales.
bool forgets_zeros(const Unit& unit);

inline constexpr const char* by_nothing_cut = "the tree: no term is cut";

/// Of one block that is one fused sum: an n such that no term is cut while the exponents of all that are not zero lie
/// within n. A product of significands of 1 + m and 1 + n bits is a multiple of 2^(e − m − n), so that it is kept
/// whole where E − F is no larger; and E is one of these exponents, or a floor that cuts nothing. The sum is then
/// exact. Nothing: the tree is another one, or terms may be cut whatever their exponents.
std::optional<int> exact_within(const Unit& unit);

/// What proves that property of the unit here; "" if nothing does. @param of_tree_alone  only what is known at once
std::string theorem_for(std::string_view property, const Unit& unit, bool of_tree_alone = false);

} // namespace discern::property
