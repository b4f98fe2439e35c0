// Unobservable truncations: aligning the smaller of two summands cannot change the rounded result.
//
// A fused multiply-add in hardware keeps few bits below its larger operand. This is the rule behind that. Let y be the
// summand whose exponent is E, and x the other one, far below it. Let G = 2^(E − B) be such that y, every result and
// every tie of the rounding (the middle of two neighbouring results) is a multiple of G. Aligning x drops its bits
// below 2^(E − F), F > B. The rounded result of x + y does not change if x and the aligned x lie strictly between the
// same two multiples of G, or are the same multiple of G. That holds
// - align = odd: always, since the aligned x keeps a set bit below G;
// - align = rd (or ru) and the result is rounded rd (or ru): always. Rounding down first to a multiple of a finer and
//   then of a coarser power of two is rounding down once. It holds even where E is not y's exponent, if results are
//   multiples of 2^(E − F) and a zero gives the same result as what is rounded to zero;
// - another mode: if x has no run of F − B equal bits, so that neither a carry nor the truncation reaches G, and an x
//   that is aligned to zero gives the right result, which is y rounded to nearest and equal to y;
// - to nearest, ties to even: also if x has such a run, one bit shorter, where the tie goes the way the sum goes. If y
//   is a multiple of 4 G, and m G is the tie in x, then m = 4 i + 3 for a truncation from above, and m = 4 i + 1 for
//   one from below.
// Results below 2^E, and their ties, are twice as dense as those above; for them B is one more. A directed rounding has
// no ties, so that B is one less; that is used where align = odd.
//
// E may also be no exponent of a summand: a floor, or the exponent of a zero. Then y, results and ties are multiples of
// half of the smallest number of d, which takes the place of G; beside a zero y, an x that is aligned to zero has to
// give the zero that it is rounded to. And E need not be considered where it is so large that the result is infinite.
//
// A sticky bit, one below the largest F, moves the sum away from zero by at most 2^(E − F) / 2. What is said above of
// the aligned x, a multiple of 2^(E − F) between two multiples of G, holds of it then too; only a tie may go the other
// way. With a sticky bit no truncation of either summand may be observable.
//
// What happens between two multiples of G, and on one of them, is proved in formal/Unobservable.v: beside_ties,
// carried_to_tie, onto_a_result and tie_goes_evenly.
#pragma once

#include "encodings/number/nodes.hpp"

namespace discern {

/// What holds of the rounding that consumes a sum, for all choices of its parameters.
struct Reader {
    int precision = 0, least_precision = INT_MAX; ///< bits of a result's significand, at most and at least
    int emin = INT_MAX;                           ///< lower bound of the format's emin
    int lsb = INT_MIN;                            ///< upper bound of the exponent of the format's least positive number
    int flushed_below = INT_MIN;         ///< values below 2^flushed_below may be flushed before they are rounded
    bool nearest = true;                 ///< rne or rna
    bool directed = false;               ///< rz, rd or ru, which have no ties
    bool even = false;                   ///< rne always
    std::optional<Rounding> way;         ///< rd or ru always
    std::optional<int> infinite_from;    ///< all values of at least 2^infinite_from become infinite
    std::optional<Term> flushes_to_plus; ///< 1 bit: every subnormal result, and every zero, becomes +0
    /// Every value below this becomes +0, and so does a zero sum.
    std::optional<double> plus_below;
    /// The result for a zero sum is the same as for one that rounds to zero, and nothing is flushed.
    bool zeros_indistinguishable = false;
};

/// match: a truncation that the reader cannot observe => none. The register of the sum does not wrap.
/// @param sticky  whether the sum may have a sticky bit
/// If that rests on the digits that products can have (models/unit/product_digits.hpp), Terms::facts says so.
void drop_unobservable_truncations(Terms& t, std::span<Summand> summands, const Pick<std::optional<int>>& floor,
                                   const Reader& reader, bool sticky);

/// match: a reference exponent of a zero, or a floor, that is E only beside terms so small that the sum becomes +0 =>
/// none. Nothing is dropped, the register of the sum does not wrap, and E is not raised to steps.
/// @param framed  whether summands, zeros too, may be inverted (frame.hpp)
void drop_exponents_of_flushed(Terms& t, std::span<Summand> summands, Pick<std::optional<int>>& floor,
                               const Reader& reader, bool framed);

/// Whether subnormal numbers of the accumulator, added exactly to x, give the same result as +0 (1 bit).
/// match: x is a result of the rounding, at least 2^(precision + 1) times as large as any subnormal c, or zero; and a
/// subnormal result becomes +0 => yes
/// @param c  the accumulator's format
Term subnormals_unobservable(Terms& t, const Format& c, const Number& x, const Reader& reader);

} // namespace discern
