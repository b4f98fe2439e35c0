// Vectors that claims about exact results propose to the search: where sums are truncated, and where they overflow.
#pragma once

#include "placing.hpp"

namespace discern::property {

/// Terms whose exponents lie within n of each other.
void propose_within(const Unit& unit, int n, Vector& x, Random& random);

/// Terms within n of each other that add up to a number of d's format, or to the middle of two, and one last bit of a
/// term far below: what cancels the rest of that term is of its own size.
void propose_tail(const Unit& unit, int n, Vector& x, Random& random);

/// Products within n of each other, of which a floor truncates the last bits, and no c: where there is no floor, any
/// terms. Their sum is to be about some ulps of d, so that most of them are there, and have one sign.
void propose_at_floor(const Unit& unit, int n, Vector& x, Random& random);

/// Terms of one sign: one large one, and others that are truncated as far as can be, below it or each as large.
void propose_truncated(const Unit& unit, Vector& x, Random& random);

/// Sums about the largest number: of terms below it that are truncated, of two that cancel and lift E, or of blocks of
/// which the first overflows and the others bring it back.
void propose_large(const Unit& unit, Vector& x, Random& random);

/// Results of blocks that overflow, and an infinity of the other sign later on.
void propose_infinities(const Unit& unit, Vector& x, Random& random);

} // namespace discern::property
