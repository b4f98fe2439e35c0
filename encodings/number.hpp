// An unnormalised number as terms: what the nodes of a tree hand to their parents (docs/notation.md, "What a tree
// computes"), and what is known of it for all inputs.
//
// What is known decides how terms are built: what cannot happen is left out, so that units which differ only there are
// the same term. The rules stand where they are applied, each as `match => result`; tests/encodings/rules_test.cpp puts
// every one to a solver, at its threshold and one step below.
#pragma once

#include "encodings/graph/term.hpp"
#include "models/format.hpp"
#include "ranged.hpp"

#include <algorithm>
#include <climits>
#include <optional>
#include <utility>
#include <vector>

namespace discern {

/// Bits kept of a NaN's payload, left-aligned: the mantissa of the widest format.
inline constexpr int payload_bits = 52;

/// A NaN that came from an operand and keeps its sign and payload (NanRule::propagate only).
struct CarriedNan {
    Term present;
    Term sign;
    Term payload; ///< payload_bits, left-aligned
};

/// The longest runs of equal binary digits there are in a value, with something other than zeros below them.
struct DigitRuns {
    int zeros = INT_MAX;      ///< below a one
    int ones = INT_MAX;       ///< below a zero
    int inner_ones = INT_MAX; ///< with a one somewhere above that zero
    /// Below the digits 01, also with a single one below them; and of ones below 10, with the last one counted.
    int odd_zeros = INT_MAX, lone_odd_zeros = INT_MAX, odd_ones = INT_MAX;
};

/// What holds of a number for all inputs, as long as it is neither infinite nor NaN.
struct Bounds {
    int last = 0;               ///< it is a multiple of 2^last
    int least = INT_MIN;        ///< |value| ≥ 2^least unless it is zero; least_magnitude() knows more
    double units = 0;           ///< |value| ≤ units · 2^place
    int below = 0;              ///< |value| < 2^below
    double most = 0;            ///< |value| ≤ most
    double peak = 0;            ///< |value| ≤ peak · 2^exponent
    int zero_exponent = 0;      ///< a zero has no larger reference exponent
    int depth = INT_MAX;        ///< |value| ≥ 2^(exponent − depth) unless it is zero,
    int normal_above = INT_MAX; ///< and ≥ 2^exponent where the exponent is larger than that,
    int partly_above = INT_MAX; ///< and ≥ 2^(exponent − part_depth) where it is larger than that, as of products one
    int part_depth = INT_MAX;   ///< factor of which is normal there
    int digits = INT_MAX;       ///< it is a multiple of 2^(exponent − digits)
    /// Of a sum: the lowest exponent of its summands that are not zero. Its own is that low if whoever reads it said
    /// that exponents up to there are alike, whatever floors and zeros it has.
    int lowest = INT_MAX;
    DigitRuns runs = {};
};

/// |value| ≥ 2 to that, unless it is zero.
inline int least_magnitude(const Bounds& b) { return std::max(b.last, b.least); }

/// |value| ≥ 2^(exponent − that) unless it is zero, where the exponent is larger than `above`.
inline int depth_above(const Bounds& b, int above) {
    if (b.normal_above <= above) return 0;
    return b.partly_above <= above ? std::min(b.part_depth, b.depth) : b.depth;
}

/// Bounds of magnitudes as doubles: exact where the result is one, else rounded up; infinite where there is none.
double sum_above(double x, double y);
double product_above(double x, double y);

/// A finite value with its reference exponent, or a special value, whose flags then make all else irrelevant.
struct Number {
    Term zero;      ///< the value is zero
    Term sign;      ///< of a value that is not zero
    Term magnitude; ///< |value| = magnitude · 2^place
    Ranged place;
    Ranged exponent;            ///< the reference exponent,
    Term has_exponent;          ///< which only a zero may lack
    bool has_subnormals = true; ///< of an operand: a magnitude without its highest bit is a subnormal number
    /// Where the exponent is always so much larger than the place.
    std::optional<int> gap;
    Bounds bounds;
    /// The number's own pattern in that format, NaN canonical, if it is known and never that of −0.
    std::optional<std::pair<Term, FormatId>> pattern;
    /// Of an exact sum: what was added, so that a sum of it adds the same once more.
    std::vector<Number> summands;

    Term zero_negative; ///< of a zero: its sign is −,
    Term zero_mixed;    ///< or mixed, whatever zero_negative says

    Term nan;
    Term positive, negative;           ///< infinities; both together are a NaN
    Term soft_positive, soft_negative; ///< made by a product's limit; both together are a soft NaN
    CarriedNan carried;
};

/// The number of a bit pattern, with the exponent of its fields: emin for subnormals and zeros, which have no hidden
/// bit. Padding bits are ignored. The result has a gap of `mantissa_bits`.
Number decode_term(Terms& t, const Format& format, Term pattern);
/// Whether such a number, whatever the inputs, is zero or at least the smallest normal one of its format.
bool is_never_subnormal(Terms& t, const Number& decoded);

} // namespace discern
