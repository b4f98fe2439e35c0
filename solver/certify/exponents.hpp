// Sums of two units whose exponents differ by a constant, in cases: how one leads to the other.
#pragma once

#include "solver/certify/proof/sweep.hpp"

#include "models/unit.hpp"

#include <cstdint>
#include <vector>

namespace discern::certificate {

/// Whether no sum of a tree truncates a term.
bool is_exact(const Node& node);

/// Cases in which the exponents E of the sums of two units differ, each by a constant, and one unit's are the larger
/// ones. The terms are then shifted by more, and the sum has more leading zeros. A shifter by a constant more has
/// no wire in common with the other one, and neither has what normalises the sums. So each case has a circuit between
/// the units: that of the one with the larger exponents, and beside each stage of a shifter what the other one's has
/// there, by whether a subtraction of the constant borrows from the next bit of the amount. Only of units
/// whose sums truncate nothing: else a constant more is truncated elsewhere.
/// @param vectors  inputs, 64 in each word, a word for every input: differences that none of them has are no case
std::vector<Case> cases_of_exponents(const Unit& one, const Unit& other,
                                     const std::vector<std::vector<std::uint64_t>>& vectors, bool shared);

} // namespace discern::certificate
