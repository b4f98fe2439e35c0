// An intermediate result of the tree as wires: docs/notation.md, "What a tree computes".
#pragma once

#include "integer.hpp"

#include "models/unit.hpp"
#include "models/unit/nan_rule.hpp"

#include <optional>

namespace discern::circuit {

/// Bits of a NaN's payload that are carried: as many as the widest format has.
inline constexpr int payload_bits = 52;

/// An unnormalised number, an infinity or a NaN. Of a special value only `special` counts (and `content`, of a NaN).
template <Domain D>
struct Number {
    /// +0, without a word for its magnitude.
    explicit Number(D& d)
        : negative(d.zero()), magnitude(d.constant(0, 0)), base(integer(d, 0)), exponent(integer(d, 0)),
          has_exponent(d.one()), seen_plus(d.zero()),
          seen_minus(d.zero()), special{d.zero(), d.zero(), d.zero(), d.zero(), d.zero(), d.zero()},
          content{d.zero(), d.zero(), d.constant(0, payload_bits)} {}

    // A finite number: (−1)^negative · magnitude · 2^(base − fraction_bits), a multiple of 2^lsb. With a reference
    // exponent, which of a number that is not zero is never below base.
    Bit<D> negative; ///< of a number that is not zero
    Word<D> magnitude;
    Integer<D> base;
    int fraction_bits = 0;
    int lsb = 0;
    Integer<D> exponent;
    Bit<D> has_exponent; ///< zero: a sum in which no term took part, which is zero

    /// Signs that a zero sum of this number alone would have seen: of a number that is not zero its own, of a zero its
    /// zero sign, both of a mixed one.
    Bit<D> seen_plus, seen_minus;

    /// More than one may hold: a NaN counts before infinities, and both before tentative ones.
    struct Special {
        Bit<D> nan, plus, minus;                               ///< from the inputs
        Bit<D> tentative_nan, tentative_plus, tentative_minus; ///< made by the limit of a product
    } special;

    /// The content of a NaN under nan=x86: nothing, or an operand's sign and its payload, with the highest bit last.
    struct Content {
        Bit<D> here, negative;
        Word<D> payload;
    } content;

    /// The kind of a NaN under nan=rdna, nothing under other rules: that of a factor, one that an invalid operation
    /// made, or else one that is kept.
    struct NanKind {
        Bit<D> factor, invalid;
        bool invalid_as_of_factor; ///< both give the same pattern
    };
    std::optional<NanKind> nan_kind;
};

/// The operands of a unit, as patterns: of each element a and b, of each block of them its scales, and c, once or
/// never.
template <Domain D>
struct Operands {
    std::vector<Word<D>> a, b, sa, sb, c;
};

/// The significand with its highest bit set, and therefore floor(log2 |value|) as base, if the number is not zero.
template <Domain D>
struct NormalisedNumber {
    Number<D> number;
    Normalised<D> significand;
};

template <Domain D>
NormalisedNumber<D> normalised(D& d, Number<D> x) {
    const Normalised<D> normal = d.normalise(x.magnitude);
    const int above = d.width(x.magnitude) - 1;
    const Integer<D> highest = offset_by(x.base, above - x.fraction_bits); // the exponent if no zero leads
    x.base = difference(d, highest, integer(d, normal.leading_zeros, 0), x.base.low - x.fraction_bits, highest.high);
    x.magnitude = normal.word;
    x.fraction_bits = above;
    return {std::move(x), normal};
}

} // namespace discern::circuit
