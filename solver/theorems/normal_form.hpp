// Units written differently that compute the same: parameters of alignment and rounding that no input can make felt.
//
// The largest exponent E of a fuse matters only while some child is not zero, if the parent is a round: a zero sum is
// zero whatever its exponent. With a child that is not zero, E is at least the smallest exponent that such a child can
// have. A floor, or the exponent of a zero, that is not above that changes nothing. Large spaces hold thousands of
// pairs that differ in nothing else; a solver needs seconds for each.
#pragma once

#include "models/unit.hpp"

namespace discern {

/// A unit with the same result for all inputs, in which every fuse directly below a round
///   - has no floor if no child that is not zero can be below it, or if nothing is cut there,
///   - ignores zeros (c, and constants) that are not above such a floor, nor above the fuse's own,
///   - has a floor instead of a child whose exponent, zero or not, is at least that,
///   - has neither floor nor exponents of zeros nor normalised products if nothing in it is aligned or dropped,
/// and in which every round of a fuse that it represents exactly is to nearest, and keeps signs of what underflows, if
/// that decides nothing else either.
/// Two units with equal normal forms (as canonical text) are equivalent; the converse does not hold.
Unit normal_form(const Unit& unit);

} // namespace discern
