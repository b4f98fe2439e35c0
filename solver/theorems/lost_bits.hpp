// When a larger reference exponent makes terms with scales lose bits, whether that can show.
#pragma once

#include "models/unit.hpp"

namespace discern {

/// Whether raising the reference exponent of a sum of products or groups, and perhaps c, to f changes it only where it
/// has a magnitude below 2^smallest before and after. All scales are powers of two, and everything is truncated or
/// exact; otherwise the answer is no.
///
/// Suppose that E would be below f without that. Then c is zero, if f is no larger than the exponent of any other c,
/// and the reference exponents of all terms that are not zero are at most f − 1. If none of them has a bit below
/// 2^(f − F), nothing is cut at f or below, and the sum is the same. If one has, let s be the sum of its scales'
/// exponents: all its bits are at or above 2^(s + p), p being the last place of a product without scales, so that
/// s ≤ f − F − 1 − p. All elements that share these scales are at most 2^s times the largest product of the formats, as
/// well as what the exponent f − 1 allows; all others what that exponent allows. Truncation makes no magnitude larger,
/// so both sums are below the sum of these bounds.
bool lost_bits_never_show(const Unit& unit, const Fuse& fuse, int f, int smallest);

} // namespace discern
