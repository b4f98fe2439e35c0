// One shifter and one increment for the rounding modes; rz, rd and ru need less.
#include "shift.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern {

namespace {

// Whether any of the low `amount` bits is set.
Term any_below(Terms& t, Term magnitude, Term amount) {
    const Term ones = t.constant(Bits::ones(t.width(magnitude)));
    const Term mask = t.bvnot(t.bvshl(ones, amount));
    return t.bvnot(t.is_zero(t.bvand(magnitude, mask)));
}

} // namespace

Term increment(Terms& t, Rounding mode, Term negative, Term odd_last, Term half, Term sticky) {
    const Term inexact = t.bvor(half, sticky);
    switch (mode) {
    case Rounding::rz: return t.truth(false);
    case Rounding::rd: return t.bvand(negative, inexact);
    case Rounding::ru: return t.bvand(t.bvnot(negative), inexact);
    case Rounding::rne: return t.bvand(half, t.bvor(sticky, odd_last));
    case Rounding::rna: return half;
    case Rounding::odd: return t.bvand(inexact, t.bvnot(odd_last));
    case Rounding::ra: return inexact;
    case Rounding::rnu: return t.bvand(half, t.bvor(sticky, t.bvnot(negative)));
    case Rounding::rnd: return t.bvand(half, t.bvor(sticky, negative));
    case Rounding::rnz: return t.bvand(half, sticky);
    case Rounding::rno: return t.bvand(half, t.bvor(sticky, t.bvnot(odd_last)));
    }
    throw std::logic_error("increment: unknown rounding mode");
}

Term signed_term(Terms& t, Term magnitude, Term negative) {
    const Term wide = t.zero_extend(magnitude, t.width(magnitude) + 1);
    return t.ite(negative, t.bvneg(wide), wide);
}

Term shift_rounded(Terms& t, Term magnitude, Term negative, const Ranged& amount, Rounding mode) {
    Ranged by = amount;
    if (by.low < 0) { // shifted left by the largest amount first, so that all other shifts go right
        magnitude = t.concat(magnitude, t.constant(-by.low, 0));
        by = by - by.low;
    }
    const int width = t.width(magnitude);
    if (mode == Rounding::rz) { // bits that every amount drops need no shifter
        if (by.low >= width) return t.constant(2, 0);
        const Term rest = t.extract(magnitude, by.low, width - by.low);
        by = by - by.low;
        return signed_term(t, t.bvlshr(rest, above(t, by, 0)), negative);
    }
    // |result| ≤ 2^(width − by.low), and below it if nothing is truncated when the amount is least.
    const int result_width = std::max(width - by.low, 0) + (by.low > 0 ? 1 : 0) + 1;
    const Term dropped = above(t, by, 0);
    Term result;
    if (mode == Rounding::rd) { // an arithmetic right shift rounds down
        result = t.bvashr(signed_term(t, magnitude, negative), dropped);
    } else if (mode == Rounding::ru) {
        result = t.bvneg(t.bvashr(signed_term(t, magnitude, t.bvnot(negative)), dropped));
    } else {
        const Term extended = t.concat(magnitude, t.constant(1, 0)); // one more bit, for the half
        const Term shifted = t.bvlshr(extended, dropped);
        const Term kept = t.extract(shifted, 1, width), half = t.bit(shifted, 0);
        const Term up = increment(t, mode, negative, t.bit(kept, 0), half, any_below(t, extended, dropped));
        result = signed_term(t, t.add_wide(kept, up), negative);
    }
    return result_width <= t.width(result) ? t.extract(result, 0, result_width) : t.sign_extend(result, result_width);
}

Term shift_jammed(Terms& t, Term magnitude, const Ranged& amount) {
    const Term dropped = above(t, amount, 0);
    const Term shifted = t.bvlshr(magnitude, dropped);
    return t.bvor(shifted, t.zero_extend(any_below(t, magnitude, dropped), t.width(magnitude)));
}

} // namespace discern
