// Properties that follow from the shape of a tree alone. They hold for a unit that is known to compute the same as such
// a tree, because both are one term.
#pragma once

#include "basis.hpp"

#include "models/unit.hpp"
#include "solver/backend/limit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace discern::property {

/// What says that a unit of which is_rounded_once() holds is: a theorem of formal/, or this argument with terms.
Argument by_rounding_once(const Unit& unit);
inline constexpr Argument by_rounded_once{"terms, the exact sum is rounded once", of_terms("rounded-once")};

/// Whether d is the exact sum of all products and c, rounded once as IEEE 754 has it, whatever the mode: then it is a
/// neighbour of the exact result, nearest if the mode is, and infinite only where that is beyond the largest number.
/// @return false, too, if the limit is reached first
bool is_rounded_once(const Unit& unit, const Limit& limit = {});

/// Whether the unit is made of exact sums and roundings alone, none of which makes a number of a NaN. Both never lower
/// their result when an operand grows, so the unit does not either.
bool is_made_of_exact_sums(const Unit& unit, const Limit& limit = {});

/// Whether −a and −c take the same way through the tree with the other sign: every rounding is to zero, to nearest or
/// to odd, overflow and flushing look at magnitudes, and no sum has a register, a sticky bit or a frame. Products and
/// c change their sign and nothing else; E knows exponents alone; and what holds of all terms of a sum holds of it.
/// Signs of zeros may differ, and no other result depends on one: there is no frame, and where infinity times zero is
/// infinite, a zero of a is read with its sign.
bool is_symmetric_in_signs(const Unit& unit);

/// Whether a product of 0 and x is to its sum what one of 0 and 0 is: no sum reads the exponent that a zero product's
/// fields have, or its sign (but for that of a zero result). A group's exponent is that of its scales.
bool forgets_zeros(const Unit& unit);

inline constexpr Argument by_few_ulps_lost{"the tree: truncation takes few ulps", bound("few-places-cut")};
inline constexpr Argument by_nothing_lost{"the tree: no truncation can change d", of_tree("nothing-cut")};

inline constexpr Argument by_losses{"the tree: what each step can lose", bound("losses-of-steps")};

/// Of one block that is one fused sum: an n such that no term is truncated while the exponents of all that are not zero
/// lie within n. A product of significands of 1 + m and 1 + n bits is a multiple of 2^(e − m − n), so that it is kept
/// whole where E − F is no larger; and E is one of these exponents, or a floor that truncates no term. The sum is
/// then exact. A floor may truncate terms, too, if they and d are rounded toward zero and all terms within n of such a
/// one come to less than its last bit: with and without the truncation d is zero. Nothing: the tree is another one, or
/// terms may be truncated whatever their exponents.
std::optional<int> exact_within(const Unit& unit);

/// Whether neighbours in a block that share their scales are interchangeable (elements.hpp).
bool knows_no_order(const Unit& unit);

/// Whether half of K is divided into the same blocks, so that the second half on top of the first is the same chain.
bool is_chain_of_halves(const Unit& unit);

/// Whether infinities and NaN of the inputs go through the tree as IEEE 754 has it, and none come up on the way: leaves
/// are plain, and nothing that is added to overflows (sizes.hpp).
bool propagates_specials(const Unit& unit);

/// Of blocks that are one fused sum, aligned toward zero: whether a product that grows always grows by more than what
/// its new exponent can take from the other terms.
///
/// The other terms change by E only, and only if the larger of the two products' exponents, e, is E with it; the other
/// one may be small, e'. With d fraction bits of products, which are below 2^(e + w), each is a multiple of 2^(e − d),
/// 2^(e' − d). If one is less than half of the other they are 2^(e − d − 1) apart; else e' ≥ e − d − w, so that they
/// are 2^(e − 2d − w) apart. L + 1 terms at most are truncated otherwise than before, each by less than 2^(e − F). So F
/// ≥ 2d + w + log2(L + 1) is enough; of formats of up to 8 bits all products are gone through instead. In a chain c
/// grows with its exponent, of which the same holds: numbers of m fraction bits on both sides of a power of two are
/// 2^(e − 1 − m) apart, and F ≥ m + 1 + log2(L + 1) is enough.
bool has_bits_to_spare(const Unit& unit);

/// The theorem that proves the property for the unit, if there is one.
/// @param terms  how long terms may be built for it; nothing: only what the tree alone says is asked
std::optional<Basis> theorem_for(std::string_view property, const Unit& unit, const std::optional<Limit>& terms);

} // namespace discern::property
