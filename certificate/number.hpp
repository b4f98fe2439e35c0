// An intermediate result of the tree as wires: docs/notation.md, "What a tree computes".
#pragma once

#include "words.hpp"

#include "models/unit.hpp"

namespace discern::certificate {

/// Bits of a NaN's payload that are carried: as many as the widest format has.
inline constexpr int content_bits = 52;

/// An unnormalised number, an infinity or a NaN. Of a special value only `special` counts (and `content`, of a NaN).
struct Number {
    // A finite number: (−1)^negative · magnitude · 2^(base − places), a multiple of 2^last. With a reference exponent,
    // which of a number that is not zero is never below base.
    Literal negative = no; ///< of a number that is not zero
    Bits magnitude;
    Integer base;
    int places = 0;
    int last = 0;
    Integer exponent;
    Literal has_exponent = yes; ///< no: a sum in which nobody took part, which is zero

    /// Signs that a zero sum of this number alone would have seen: of a number that is not zero its own, of a zero its
    /// zero sign, both of a mixed one.
    Literal seen_plus = no, seen_minus = no;

    /// More than one may hold: a NaN counts before infinities, and both before soft ones.
    struct Special {
        Literal nan = no, plus = no, minus = no;                ///< from the inputs
        Literal soft_nan = no, soft_plus = no, soft_minus = no; ///< made by the limit of a product
    } special;

    /// What a NaN carries under nan=x86: nothing, or an operand's sign and its payload, with the highest bit last.
    struct Content {
        Literal here = no, negative = no;
        Bits payload = constant(0, content_bits);
    } content;
};

/// The number of a pattern (its bits, of the format's width).
Number read(Netlist& n, const Format& format, const Bits& pattern);

/// A pattern that is a NaN.
Literal is_nan(Netlist& n, const Format& format, const Bits& pattern);
/// A pattern that is an infinity.
Literal is_infinite(Netlist& n, const Format& format, const Bits& pattern);

/// The operands of a unit, as patterns: of each element a and b, of each block of them its scales, and c, once or
/// never.
struct Operands {
    std::vector<Bits> a, b, sa, sb, c;
};

// The leaves. `k` is the element's index in the unit.
Number product(Netlist& n, const Unit& unit, const Operands& in, const Product& leaf, int k);
/// @param first  index of the group's first element in the unit
Number group(Netlist& n, const Unit& unit, const Operands& in, const Group& leaf, int first);
/// @param format  that of the pattern: c's in the first block, then d's
Number accumulator(Netlist& n, const Format& format, const Bits& pattern, const Accumulator& leaf);

/// A term of a sum and how it is aligned.
struct Term {
    Number number;
    const Child* child;
};

Number fuse(Netlist& n, const Fuse& fuse, const std::vector<Term>& terms);

/// The special value of a sum of numbers, and what a NaN carries.
void combine_specials(Netlist& n, const std::vector<const Number*>& terms, Number& sum);

/// The pattern, in the round's format, of the rounded number.
Bits round(Netlist& n, const Round& round, const Number& x);

/// Whether a magnitude that was cut is incremented by one unit of its last kept place.
struct Cut {
    Literal negative, odd_last, half, rest;
};
Literal rounds_away(Netlist& n, Rounding mode, const Cut& cut);

} // namespace discern::certificate
