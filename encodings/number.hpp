// An unnormalised number as terms: what the nodes of a tree hand to their parents (docs/notation.md, "What a tree
// computes").
#pragma once

#include "models/format.hpp"
#include "ranged.hpp"
#include "term.hpp"

#include <optional>

namespace discern {

/// Bits kept of a NaN's payload, left-aligned: the mantissa of the widest format.
inline constexpr int payload_bits = 52;

/// A NaN that came from an operand and keeps its sign and payload (NanRule::propagate only).
struct CarriedNan {
    Term present;
    Term sign;
    Term payload; ///< payload_bits, left-aligned
};

/// A finite value with its reference exponent, or a special value, whose flags then make all else irrelevant.
struct Number {
    Term zero;      ///< the value is zero
    Term sign;      ///< of a value that is not zero
    Term magnitude; ///< an integer: |value| = magnitude · 2^(exponent − gap), or magnitude · 2^place without a gap
    std::optional<int> gap;
    int place = 0;

    Ranged exponent;   ///< the reference exponent,
    Term has_exponent; ///< which only a zero may lack

    Term zero_negative; ///< of a zero: its sign is −,
    Term zero_mixed;    ///< or mixed, whatever zero_negative says

    Term nan;
    Term positive, negative;           ///< infinities; both together are a NaN
    Term soft_positive, soft_negative; ///< made by a product's limit; both together are a soft NaN
    CarriedNan carried;
};

/// The exponent of the magnitude's last place.
inline Ranged last_place(Terms& t, const Number& n) {
    return n.gap ? n.exponent - *n.gap : ranged_constant(t, n.place);
}

/// The number of a bit pattern, with the exponent of its fields: emin for subnormals and zeros, which have no hidden
/// bit. Padding bits are ignored. The result has a gap of `mantissa_bits`.
Number decode_term(Terms& t, const Format& format, Term pattern);

} // namespace discern
