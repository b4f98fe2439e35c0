// Units written differently that compute the same, by the ranges of the formats alone and without a solver: the
// theorems that need the whole unit. normal_form.hpp has those that need one rounding at a time.
#pragma once

#include "models/unit.hpp"

namespace discern {

/// A unit with the same result for all inputs, in which every parameter is at rest that can never act, because no term
/// has exponents or places where it would: floors and constants of zeros at which nothing is cut, registers that no sum
/// fills, limits that no product reaches, overflows and flushes of what cannot be so large or small, and everything
/// about alignment if nothing is aligned. It starts from normal_form and goes further.
/// Two units whose results of this are equal (as canonical text) are equivalent; the converse does not hold.
Unit at_rest(const Unit& unit);

} // namespace discern
