// Normalising and rounding to a floating-point format, down to the bit pattern.
//
// The magnitude is shifted so that its top bit weighs 2^max(⌊log2 |value|⌋, emin). Then the kept bits always stand in
// the same place, subnormal or not, and the pattern without its sign is one integer, (exponent − emin) · 2^mantissa +
// kept bits, which grows with the magnitude: rounding up carries into the exponent by itself, and overflow is one
// comparison.
#include "nodes.hpp"

#include "shift.hpp"
#include "special.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern {

namespace {

struct Normalised {
    Term bits;       ///< top bit first
    Ranged exponent; ///< of the top bit: max(⌊log2 |value|⌋, emin)
};

// @param least_width  of the result, so that all that must be looked at is there
Normalised normalise(Terms& t, const Number& n, int emin, int least_width) {
    Term bits = n.magnitude;
    Ranged last = last_place(t, n);
    if (const int more = least_width - t.width(bits); more > 0) {
        bits = t.concat(bits, t.constant(more, 0));
        last = last - more;
    }
    const int width = t.width(bits);
    const Ranged top = last + (width - 1);
    if (top.low < emin) {
        // The top bit may weigh less than 2^emin: shift right to there first, keeping what is cut as a sticky bit.
        const Ranged lifted = maximum(t, top, emin);
        bits = shift_jammed(t, bits, subtract(t, lifted, top));
        last = lifted - (width - 1);
    }
    const Ranged lifted_top = last + (width - 1);
    const Ranged leading = subtract(t, ranged_constant(t, width - 1), floor_log2(t, bits));
    const Ranged room = subtract(t, lifted_top, ranged_constant(t, emin));
    const Ranged left = minimum(t, leading, room);
    return {t.bvshl(bits, above(t, left, 0)), subtract(t, room, left) + emin};
}

enum class Beyond : std::uint8_t { infinity, largest };

// What an overflow gives, by policy, mode and sign; as IEEE 754 §7.4 where the policy says so.
Beyond beyond(Overflow policy, Rounding mode, bool negative) {
    if (policy == Overflow::infinity) return Beyond::infinity;
    if (policy == Overflow::largest) return Beyond::largest;
    switch (mode) {
    case Rounding::rne:
    case Rounding::rna: return Beyond::infinity;
    case Rounding::rz:
    case Rounding::odd: return Beyond::largest;
    case Rounding::rd: return negative ? Beyond::infinity : Beyond::largest;
    case Rounding::ru: return negative ? Beyond::largest : Beyond::infinity;
    }
    throw std::logic_error("beyond: unknown rounding mode");
}

// The pattern's integer without sign and padding of the largest finite number.
std::uint64_t largest_finite(const Format& f) {
    return (static_cast<std::uint64_t>(f.emax() - f.emin()) << f.mantissa_bits) + f.max_significand();
}

// A pattern from its sign and the bits below it, padding added.
Term pattern_of(Terms& t, const Format& f, Term sign, Term below) {
    if (f.padding_bits > 0) below = t.concat(below, t.constant(f.padding_bits, 0));
    below = t.resize(below, f.width - 1);
    return t.concat(f.is_signed ? sign : t.truth(false), below);
}

// The NaN a round makes under NanRule::propagate: a carried one quieted, else the negative quiet one.
Term propagated_nan(Terms& t, const Format& f, const CarriedNan& carried) {
    const int m = f.mantissa_bits;
    const Term sign = t.bvor(t.bvnot(carried.present), carried.sign);
    if (f.specials == Specials::all_ones) return pattern_of(t, f, sign, t.constant(Bits::ones(f.exponent_bits + m)));
    if (f.specials != Specials::ieee) return t.constant(f.width, quiet_nan(f));
    const Term quiet = t.constant(m, 1ull << (m - 1));
    const Term kept = t.bvor(t.extract(carried.payload, payload_bits - m, m), quiet);
    const Term mantissa = t.ite(carried.present, kept, quiet);
    return pattern_of(t, f, sign, t.concat(t.constant(Bits::ones(f.exponent_bits)), mantissa));
}

Term nan_pattern(Terms& t, const Format& f, const CarriedNan& carried, const NanRule& rule) {
    if (!f.has_nan()) return t.constant(f.width, 0);
    if (rule.kind == NanRule::Kind::propagate) return propagated_nan(t, f, carried);
    if (rule.kind == NanRule::Kind::pattern) return t.constant(f.width, rule.bits);
    return t.constant(f.width, quiet_nan(f));
}

// Infinity of that sign, or what the format has in its place.
Term infinity_pattern(Terms& t, const Format& f, Term sign, Term nan) {
    const int below = f.exponent_bits + f.mantissa_bits;
    if (f.has_infinity())
        return pattern_of(t, f, sign,
                          t.concat(t.constant(Bits::ones(f.exponent_bits)), t.constant(f.mantissa_bits, 0)));
    return f.has_nan() ? nan : pattern_of(t, f, sign, t.constant(below, largest_finite(f)));
}

// Whether the value is small enough to be flushed.
Term flushed(Terms& t, Flush when, const Normalised& n, Term rounded, const Format& f, Rounding mode, Term sign) {
    const int m = f.mantissa_bits, width = t.width(n.bits);
    const Term tiny = t.bvnot(t.bit(n.bits, width - 1)); // |value| < 2^emin
    switch (when) {
    case Flush::none: return t.truth(false);
    case Flush::before: return tiny;
    case Flush::result: // a result that is zero already is an underflow, not a flush
        return t.bvand(t.bvult(rounded, t.constant(t.width(rounded), 1ull << m)), t.bvnot(t.is_zero(rounded)));
    case Flush::after: {
        // With unbounded exponent it reaches 2^emin only from all ones just below, one place further right.
        const Term kept = t.extract(n.bits, width - 2 - m, m + 1);
        const Term half = t.bit(n.bits, width - 3 - m);
        const Term sticky = t.bvnot(t.is_zero(t.extract(n.bits, 0, width - 3 - m)));
        const Term ones = t.eq(kept, t.constant(Bits::ones(m + 1)));
        const Term up = increment(t, mode, sign, t.truth(true), half, sticky);
        return t.bvand(tiny, t.bvnot(t.bvand(ones, up)));
    }
    }
    throw std::logic_error("flushed: unknown rule");
}

} // namespace

Term round_term(Terms& t, const Round& how, const Number& value, const NanRule& rule) {
    const Format& f = format(how.format);
    if (!f.is_signed || !f.has_zero) throw std::logic_error("round_term: results need a sign and a zero");
    const int m = f.mantissa_bits;
    // Kept bits, half, one more for Flush::after, sticky.
    const Normalised n = normalise(t, value, f.emin(), m + 4);
    const int width = t.width(n.bits);
    const Term kept = t.extract(n.bits, width - 1 - m, m + 1);
    const Term half = t.bit(n.bits, width - 2 - m);
    const Term sticky = t.bvnot(t.is_zero(t.extract(n.bits, 0, width - 2 - m)));
    const Term up = increment(t, how.mode, value.sign, t.bit(kept, 0), half, sticky);

    // The pattern's integer, wide enough for every exponent, and for every pattern of the format.
    const Term exponent = above(t, n.exponent, f.emin());
    const int rounded_width = std::max(t.width(exponent), f.exponent_bits) + m + 2;
    const Term high = m > 0 ? t.concat(exponent, t.constant(m, 0)) : exponent;
    const Term addends[] = {t.resize(high, rounded_width), t.resize(kept, rounded_width), t.resize(up, rounded_width)};
    const Term rounded = t.bvadd(addends);

    const Term nan = nan_pattern(t, f, value.carried, rule);
    const Term largest = t.constant(rounded_width, largest_finite(f));
    const Term over = t.bvult(largest, rounded);
    const auto overflowed = [&](bool negative) {
        const Term sign = t.truth(negative);
        return beyond(how.overflow, how.mode, negative) == Beyond::infinity ? infinity_pattern(t, f, sign, nan)
                                                                            : pattern_of(t, f, sign, largest);
    };

    const Term flush = flushed(t, how.flush, n, rounded, f, how.mode, value.sign);
    const Term to_zero = t.bvor(flush, t.is_zero(rounded));
    const Term keeps = t.ite(flush, t.truth(how.flush_keeps_sign), t.truth(how.underflow_keeps_sign));
    const Term exact_zero_sign = how.zero_sign_ieee
                                     ? t.ite(value.zero_mixed, t.truth(how.mode == Rounding::rd), value.zero_negative)
                                     : t.truth(false);
    Term sign = t.ite(value.zero, exact_zero_sign, t.bvand(value.sign, t.bvor(t.bvnot(to_zero), keeps)));
    const Term is_zero = t.bvor(value.zero, to_zero);
    if (f.specials == Specials::fnuz) sign = t.bvand(sign, t.bvnot(is_zero)); // there is no minus zero
    const Term below = t.ite(is_zero, t.constant(rounded_width, 0), rounded);
    const Term finite = t.ite(t.bvand(t.bvnot(is_zero), over), t.ite(value.sign, overflowed(true), overflowed(false)),
                              pattern_of(t, f, sign, below));

    const Settled special = settle(t, value);
    return t.ite(special.nan, nan,
                 t.ite(special.positive, infinity_pattern(t, f, t.truth(false), nan),
                       t.ite(special.negative, infinity_pattern(t, f, t.truth(true), nan), finite)));
}

} // namespace discern
