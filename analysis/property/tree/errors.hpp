// How far from the exact sum the steps of a tree can take its result: a bound for all inputs, added up from what each
// step can lose.
#pragma once

#include "models/unit.hpp"

#include <optional>

namespace discern::property {

/// A k such that d is at most k · 2^(e − m) from the exact sum of all products and c, of finite inputs, where d is
/// finite and that sum not beyond the largest number: m fraction bits of d's format, and the largest exponent e of a
/// term that is not zero, as its fields have it (a product's is the sum of its factors' and scales'), or that of the
/// smallest normal number if it is larger. Nothing: some step has no such bound.
std::optional<double> most_ulps_off(const Unit& unit);

} // namespace discern::property
