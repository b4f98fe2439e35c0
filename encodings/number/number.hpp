// An unnormalised number as terms: what the nodes of a tree hand to their parents (docs/notation.md, "What a tree
// computes"), and what is known of it for all inputs.
//
// What is known decides how terms are built: what cannot happen is left out, so that units which differ only there are
// the same term. The rules stand where they are applied, each as `match => result` (folding.hpp has their names);
// tests/encodings/rules_test.cpp puts every one to a solver, at its threshold and one step below.
#pragma once

#include "encodings/graph/pick.hpp"
#include "encodings/graph/ranged.hpp"
#include "encodings/graph/term.hpp"
#include "facts.hpp"
#include "folding.hpp"
#include "models/format.hpp"
#include "models/tree.hpp"

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
    Facts facts;
    /// The number's own pattern in that format, NaN canonical, if it is known.
    std::optional<std::pair<Term, FormatId>> pattern;
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
