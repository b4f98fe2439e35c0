// Cuts that no rounding feels: a summand so far below the only other one that what is cut off it only says on which
// side of a tie, or of a number of the result's format, the sum is; and the cut leaves it there.
//
// This is how a fused multiply-add gets by with few digits. Let E be the larger exponent, that of y, and x the summand
// below it. All ties, all numbers that a result can be, and y are multiples of G = 2^(E − B). A cut of x at 2^(E − F),
// F > B, is not felt if x and the cut x are between the same two multiples of G, or both the same one:
// - to odd always, since a cut x keeps a one below G;
// - downwards, or upwards, if the rounding goes the same way: the first of two such steps to ever larger multiples of a
//   power of two does not matter. It does not either where others gave E, if last places of results are multiples of
//   2^(E − F) and nobody can tell a zero from what is rounded to zero;
// - otherwise if x has no run of F − B equal digits, so that no carry and no cut reaches G; and a cut to zero leaves y
//   itself, which is right if the rounding is to nearest and gives y;
// - to nearest, also if x has such a run, but one digit less than the cut would need, or one at which the tie goes to
//   where the sum goes: let y be a multiple of 4 G, and m G the tie in x. Of a cut from above, m = 4 i + 3 is such, of
//   one from below m = 4 i + 1.
// Numbers below 2^E lie closer than those above, and ties with them: there B is one more.
//
// A sticky place, one below the largest F, moves the sum by up to half of 2^(E − F) away from zero, which may be to the
// other side. A cut to odd gives an odd multiple of 2^(E − F), which that leaves between the same two even ones; of
// other cuts nothing is said, and both summands must be ones of which no cut is felt.
#pragma once

#include "encodings/nodes.hpp"

namespace discern {

/// What the rounding that reads a sum is known to do, whatever is chosen of it.
struct Reader {
    int precision = 0, least_precision = INT_MAX; ///< bits of a result's significand, at most and at least
    int emin = INT_MAX;                           ///< of the format, at least
    int last_place = INT_MIN;                     ///< of the format, at most
    int flushed_below = INT_MIN;                  ///< values below 2 to that may be flushed before they are rounded
    bool nearest = true;                          ///< rne or rna
    bool even = false;                            ///< rne always
    std::optional<Rounding> way;                  ///< rd or ru always
    std::optional<int> infinite_from;             ///< values of 2^that and more all become infinite
    std::optional<Term> flushes_to_plus;          ///< 1 bit: every subnormal result, and every zero, becomes +0
    bool zeros_alike = false; ///< nobody can tell a zero from what such a rounding makes zero; nothing is flushed
};

/// match: a cut that the reader cannot feel => none. Nothing wraps.
/// @param sticky  whether the sum may have a sticky place
/// Where that rests on the digits of products (models/unit/product_digits.hpp), the graph says so (Terms::facts).
void forget_unfelt_cuts(Terms& t, std::span<Summand> summands, const Pick<std::optional<int>>& floor,
                        const Reader& reader, bool sticky);

/// Whether nobody can tell subnormal numbers of the accumulator from +0 where they are added to x exactly (1 bit).
/// match: beside a number that is no result's neighbour's, or zero, which gives a subnormal result that becomes +0 =>
/// yes
/// @param c  the accumulator's format
Term subnormals_unfelt(Terms& t, const Format& c, const Number& x, const Reader& reader);

} // namespace discern
