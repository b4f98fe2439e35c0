// An intermediate result of the tree as wires: docs/notation.md, "What a tree computes". As certificate/number.hpp.
#pragma once

#include "sheet.hpp"

namespace discern::rtl {

/// Bits of a NaN's payload that are carried: as many as the widest format has.
inline constexpr int content_bits = 52;

/// An unnormalised number, an infinity or a NaN. Of a special value only `special` counts (and `content`, of a NaN).
struct Number {
    explicit Number(Sheet& s);

    // A finite number: (−1)^negative · magnitude · 2^(base − places), a multiple of 2^last. With a reference exponent,
    // which of a number that is not zero is never below base.
    Term negative; ///< of a number that is not zero
    Term magnitude;
    Sheet::Integer base;
    int places = 0;
    int last = 0;
    Sheet::Integer exponent;
    Term has_exponent; ///< no: a sum in which nobody took part, which is zero

    /// Signs that a zero sum of this number alone would have seen.
    Term seen_plus, seen_minus;

    /// More than one may hold: a NaN counts before infinities, and both before soft ones.
    struct Special {
        Term nan, plus, minus;                ///< from the inputs
        Term soft_nan, soft_plus, soft_minus; ///< made by the limit of a product
    } special;
    Term infinite; ///< of an operand: one of the two infinities

    /// What a NaN carries under nan=x86: nothing, or an operand's sign and its payload, with the highest bit last.
    struct Content {
        Term here, negative, payload;
    } content;
};

Number read(Sheet& s, const Format& format, Term pattern);
Term nan_of(Sheet& s, const Format& format, Term pattern);
Term infinite(Sheet& s, const Format& format, Term pattern);

// The leaves. `k` is the element's index in the unit.
Number product(Sheet& s, const Unit& unit, const InputTerms& in, const Product& leaf, int k);
Number group(Sheet& s, const Unit& unit, const InputTerms& in, const Group& leaf, int first);
Number accumulator(Sheet& s, const Format& format, Term pattern, const Accumulator& leaf);

/// A term of a sum and how it is aligned.
struct Addend {
    Number number;
    const Child* child;
};

Number fuse(Sheet& s, const Fuse& fuse, const std::vector<Addend>& terms);
void combine_specials(Sheet& s, const std::vector<const Number*>& terms, Number& sum);

/// The pattern, in the round's format, of the rounded number.
Term round(Sheet& s, const Round& round, const Number& x);

/// Whether a magnitude that was cut is incremented by one unit of its last kept place.
struct Cut {
    Term negative, odd_last, half, rest;
};
Term rounds_away(Sheet& s, Rounding mode, const Cut& cut);

} // namespace discern::rtl
