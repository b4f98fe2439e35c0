// Theorems about sums within sums: when two levels are one, and when a rounding between them does nothing.
#pragma once

#include "magnitudes.hpp"
#include "ranges.hpp"

#include "models/unit.hpp"

namespace discern {

/// Sums whose alignment in the sum around them cuts nothing are exact there; sums whose terms no other exponent would
/// cut are part of the sum around them.
void join_nested_sums(Unit& unit, const Ranges& ranges);

/// Roundings that have nothing to round are left out where the sum around them is exact, in which no exponent matters.
void leave_out_idle_roundings(Unit& unit, const Ranges& ranges, const Magnitudes& magnitudes);

} // namespace discern
