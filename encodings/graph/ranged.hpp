// Integers with a known range, as terms: exponents, shift amounts, counts of leading zeros.
//
// An exponent is kept as an unsigned term above a fixed base, so that adding constants costs nothing and sums are as
// wide as they need to be: the range is followed through every operation, and nothing can overflow.
#pragma once

#include "term.hpp"

#include <span>

namespace discern {

/// The integer base + bits (bits unsigned). Its value lies in [low, high] wherever it has an effect. The exponent
/// of a number that takes no part in a maximum has none, and may be any value that the bits can hold.
struct Ranged {
    Term bits;
    int base = 0;
    int low = 0;
    int high = 0;
};

Ranged ranged_constant(Terms& t, int value);
/// An unsigned term whose value is known to be at most `high`.
Ranged ranged_from(Terms& t, Term bits, int high);
Ranged operator+(Ranged a, int constant);
Ranged operator-(Ranged a, int constant);
Ranged add(Terms& t, const Ranged& a, const Ranged& b);
/// a − b, where a ≥ b is known whenever the result matters; the result is never below 0.
Ranged subtract(Terms& t, const Ranged& a, const Ranged& b);
/// The maximum. Neither the order of the operands nor duplicates change the term.
Ranged maximum(Terms& t, std::span<const Ranged> operands);
Ranged maximum(Terms& t, const Ranged& a, int constant);
Ranged minimum(Terms& t, const Ranged& a, const Ranged& b);
Ranged ite(Terms& t, Term condition, const Ranged& yes, const Ranged& no);
Term less(Terms& t, const Ranged& a, const Ranged& b);
Term at_least(Terms& t, const Ranged& a, int constant);
/// The bits of the integer above another base ≤ low, as wide as `high` needs.
Term above(Terms& t, const Ranged& a, int base);

/// ⌊log2(magnitude)⌋ for a magnitude that is not zero; 0 for zero.
Ranged floor_log2(Terms& t, Term magnitude);

/// Bits that an unsigned number up to `value` needs, at least 1.
int bits_for(int value);

} // namespace discern
