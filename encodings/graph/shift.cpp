// Cutting bits off. See shift.hpp.
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
    }
    throw std::logic_error("increment: unknown rounding mode");
}

Term signed_term(Terms& t, Term magnitude, Term negative) {
    const Term wide = t.zero_extend(magnitude, t.width(magnitude) + 1);
    return t.ite(negative, t.bvneg(wide), wide);
}

Term shift_rounded(Terms& t, Term magnitude, Term negative, const Ranged& amount, Rounding mode) {
    Ranged by = amount;
    if (by.low < 0) { // start from the largest multiple, so that all shifts go right
        magnitude = t.concat(magnitude, t.constant(-by.low, 0));
        by = by - by.low;
    }
    const int width = t.width(magnitude);
    if (mode == Rounding::rz) { // the bits that every amount cuts need no shifter
        if (by.low >= width) return t.constant(2, 0);
        const Term rest = t.extract(magnitude, by.low, width - by.low);
        by = by - by.low;
        return signed_term(t, t.bvlshr(rest, above(t, by, 0)), negative);
    }
    // |result| ≤ 2^(width − by.low), and below it if nothing is cut when the amount is least.
    const int result_width = std::max(width - by.low, 0) + (by.low > 0 ? 1 : 0) + 1;
    const Term cut = above(t, by, 0);
    Term result;
    if (mode == Rounding::rd) { // an arithmetic shift is a floor
        result = t.bvashr(signed_term(t, magnitude, negative), cut);
    } else if (mode == Rounding::ru) {
        result = t.bvneg(t.bvashr(signed_term(t, magnitude, t.bvnot(negative)), cut));
    } else {
        const Term extended = t.concat(magnitude, t.constant(1, 0)); // one more place, for the half
        const Term shifted = t.bvlshr(extended, cut);
        const Term kept = t.extract(shifted, 1, width), half = t.bit(shifted, 0);
        const Term up = increment(t, mode, negative, t.bit(kept, 0), half, any_below(t, extended, cut));
        result = signed_term(t, t.add_wide(kept, up), negative);
    }
    return result_width <= t.width(result) ? t.extract(result, 0, result_width) : t.sign_extend(result, result_width);
}

Term shift_jammed(Terms& t, Term magnitude, const Ranged& amount) {
    const Term cut = above(t, amount, 0);
    const Term shifted = t.bvlshr(magnitude, cut);
    return t.bvor(shifted, t.zero_extend(any_below(t, magnitude, cut), t.width(magnitude)));
}

} // namespace discern
