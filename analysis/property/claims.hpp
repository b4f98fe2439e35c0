// The claims that make up each property. Two of one kind: a unit on x and on a changed x; and a unit against the exact
// result.
#pragma once

#include "claim.hpp"

#include "solver/question/input_limits.hpp"

#include <optional>

namespace discern::property {

/// The subject of a claim: a unit; or one of its blocks with an arbitrary accumulator, for claims that chains of blocks
/// inherit from it.
enum class Scope : std::uint8_t { unit, block };

/// The inputs of most claims: no NaN or infinity in any operand.
inline const InputLimits finite_inputs{.finite = true};

// Claims about a unit and a changed input.
Claims negation(const Unit& unit, Scope scope);
Claims swap(const Unit& unit, Scope scope);
Claims order_in_block(const Unit& unit, Scope scope);
Claims order_across_blocks(const Unit& unit, Scope scope);
Claims monotonic(const Unit& unit, Scope scope);
Claims zero_neutral(const Unit& unit, Scope scope);
Claims split(const Unit& unit, Scope scope);
Claims carry_bits(const Unit& unit, Scope scope);

// Claims about a unit and the exact result.
Claims faithful(const Unit& unit, Scope scope);
Claims no_false_overflow(const Unit& unit, Scope scope);
Claims specials(const Unit& unit, Scope scope);
/// d is the exact sum, rounded once, where all exponents lie within n.
Claims exact_region(const Unit& unit, int n);
/// There are at most k − 1 numbers between d and the exact result; half_ulp: d is a nearest number.
Claims error_within(const Unit& unit, std::int64_t k);
inline constexpr std::int64_t half_ulp = 0;

/// d is at most k ulps of d's format, at the largest exponent of a term, from the exact sum.
Claims within_ulps(const Unit& unit, double k);
/// The least such k of a vector, to f64's precision; 0 where nothing is said of it. @param models  of that
double ulps_off(const Models& models, const Vector& v);

/// The same inputs with an exact sum that is rounded once.
/// @param rounding  as the unit's last one, or another
Unit exact_unit(const Unit& unit, const Round& rounding);
/// The same for inputs of that shape, as f64 and rounded to odd: on the side of whatever it is compared with on which
/// the sum is.
Unit exact_sum(Shape shape);
/// The unit's last rounding.
const Round& last_rounding(const Unit& unit);
/// The rounding to d's format that has this mode and no other peculiarity.
Round plain_rounding(const Unit& unit, Rounding mode);

/// How far d is from the exact result: the least k of error_within(); nothing if the result is infinite and the exact
/// one is not, or d is a NaN. @param models  of error_within()
std::optional<std::int64_t> error_of(const Models& models, const Vector& v);

/// The unit of half as many products.
Unit half_of(const Unit& unit);

// Why a property says nothing of a unit; "" if it does.
std::string no_swap(const Unit& unit);
std::string no_order_in_block(const Unit& unit);
std::string no_order_across_blocks(const Unit& unit);
std::string no_split(const Unit& unit);
std::string no_carry_bits(const Unit& unit);

} // namespace discern::property
