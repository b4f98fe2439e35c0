// An unnormalised number as terms: what the nodes of a tree hand to their parents (docs/notation.md, "What a tree
// computes"), and what is known of it for all inputs.
//
// What is known decides how terms are built: what cannot happen is left out, so that units which differ only there are
// the same term. The rules stand where they are applied, each as `match => result`; tests/encodings/rules_test.cpp puts
// every one to a solver, at its threshold and one step below.
#pragma once

#include "encodings/graph/pick.hpp"
#include "encodings/graph/term.hpp"
#include "models/format.hpp"
#include "models/tree.hpp"
#include "ranged.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace discern {

/// Bits kept of a NaN's payload, left-aligned: the mantissa of the widest format.
inline constexpr int payload_bits = 52;

/// A NaN that came from an operand and keeps its sign and payload (NanRule::keeps_operands() only).
struct CarriedNan {
    Term present;
    Term sign;
    Term payload; ///< payload_bits, left-aligned
    /// NanRule::rdna only: a NaN of a or b, and one that an invalid operation made, which take precedence in this
    /// order.
    Term factor, invalid;
};

/// The lengths of the longest runs of equal binary digits in a significand, below which at least one digit is set.
struct DigitRuns {
    int zeros = INT_MAX;      ///< zeros below a one
    int ones = INT_MAX;       ///< ones below a zero
    int inner_ones = INT_MAX; ///< ones below a zero that has a one above it
    /// Zeros below the digits 01; the same where only a single one follows; ones below the digits 10, the last
    /// included.
    int odd_zeros = INT_MAX, lone_odd_zeros = INT_MAX, odd_ones = INT_MAX;
};

/// What holds of a number for all inputs, as long as it is neither infinite nor NaN.
struct Bounds {
    int last = 0;               ///< it is a multiple of 2^last
    int least = INT_MIN;        ///< |value| ≥ 2^least unless it is zero; least_magnitude() knows more
    double units = 0;           ///< |value| ≤ units · 2^lsb
    int below = 0;              ///< |value| < 2^below
    double most = 0;            ///< |value| ≤ most
    double span = HUGE_VAL;     ///< |value| ≤ span · 2^p for some p of which it is a multiple
    double peak = 0;            ///< |value| ≤ peak · 2^exponent
    int zero_exponent = 0;      ///< a zero has no larger reference exponent
    int depth = INT_MAX;        ///< |value| ≥ 2^(exponent − depth) unless it is zero,
    int normal_above = INT_MAX; ///< and ≥ 2^exponent where the exponent is larger than that,
    int partly_above = INT_MAX; ///< and ≥ 2^(exponent − part_depth) where it is larger than that, as of products one
    int part_depth = INT_MAX;   ///< factor of which is normal there
    int digits = INT_MAX;       ///< it is a multiple of 2^(exponent − digits)
    /// Of a sum: the lowest exponent of its summands that are not zero. The sum's own exponent may be that low,
    /// whatever its floor and its zeros, where its consumer is indifferent to exponents up to there.
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

/// The scales that multiply a number, by the terms of their exponents, and what holds of the number beside them.
/// Numbers of one block share the scales. Each bound is relative to 2^s, s being the sum of the scales' exponents;
/// bounds of the number itself say less, since the scales' significands may be larger where their exponents are not the
/// largest.
struct Scaling {
    Term a, b;   ///< the exponents of the two scales
    int last;    ///< the number is a multiple of 2^(last + s)
    double most; ///< |value| ≤ most · 2^s
    int highest; ///< the reference exponent is at most highest + s

    bool is_that_of(const Scaling& other) const { return a == other.a && b == other.b; }
};

/// A group is empty if it has no product that is not zero, or a scale is zero.
struct EmptyGroup {
    Term here;                ///< it is empty;
    Pick<ZeroExponent> takes; ///< its reference exponent is then this one, its own, or none
};

/// A finite value with its reference exponent, or a special value, whose flags then make all else irrelevant.
struct Number {
    Term zero;      ///< the value is zero
    Term sign;      ///< of a value that is not zero
    Term magnitude; ///< |value| = magnitude · 2^lsb
    Ranged lsb;
    Ranged exponent;                 ///< the reference exponent,
    Term has_exponent;               ///< which only a zero may lack
    std::optional<EmptyGroup> empty; ///< of a group that may be empty; where it is, this counts in place of the two
    bool has_subnormals = true;      ///< of an operand: a magnitude without its highest bit is a subnormal number
    /// exponent − lsb, where that is a constant.
    std::optional<int> gap;
    int below_lsb = 0; ///< of a number without a gap: its exponent is at least the lsb less that
    int most_below_lsb() const { return gap ? std::max(0, -*gap) : below_lsb; }
    Bounds bounds;
    /// The number's own pattern in that format, NaN canonical, if it is known.
    std::optional<std::pair<Term, FormatId>> pattern;
    std::optional<Scaling> scaling; ///< of a product that is multiplied by scales
    /// Of an exact sum: its summands. A sum that adds it adds them instead.
    std::vector<Number> summands;

    Term zero_negative; ///< of a zero: its sign is −,
    Term zero_mixed;    ///< or mixed, whatever zero_negative says

    Term nan;
    Term positive, negative;                     ///< infinities; both together are a NaN
    Term tentative_positive, tentative_negative; ///< made by a product's limit; both together are a tentative NaN
    CarriedNan carried;
};

/// The number of a bit pattern, with the exponent of its fields: emin for subnormals and zeros, which have no hidden
/// bit. Padding bits are ignored. The result has a gap of `mantissa_bits`.
Number decode_term(Terms& t, const Format& format, Term pattern);
/// Whether such a number, whatever the inputs, is zero or at least the smallest normal one of its format.
bool is_never_subnormal(Terms& t, const Number& decoded);

} // namespace discern
