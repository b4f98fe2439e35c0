// Normalise, round and pack: the conversion of a number to a format. docs/notation.md, "Round".
#pragma once

#include "number.hpp"
#include "rounding.hpp"

#include "models/format.hpp"

#include <algorithm>

namespace discern::circuit {

/// The fields of a pattern, without padding.
template <Domain D>
struct Parts {
    Bit<D> sign;
    Word<D> exponent, mantissa;
};

template <Domain D>
struct RoundStages {
    Bit<D> zero;
    Normalised<D> normal;
    Integer<D> top;      ///< floor(log2 |value|)
    Bit<D> tiny;         ///< below the normal numbers
    Word<D> limited;     ///< the significand, its lsb limited by subnormals, and the guard bit
    Bit<D> sticky;       ///< something is below that
    Word<D> significand; ///< rounded
    Integer<D> exponent;
    Bit<D> flushed, overflow, infinite;
    Word<D> finite; ///< the pattern unless the number is infinite or NaN
    Word<D> pattern;
};

/// Truncates the last bit of a word, the guard, and rounds the others; one bit more for a carry.
template <Domain D>
Word<D> rounded(D& d, Rounding mode, Bit<D> negative, const Word<D>& word, Bit<D> sticky) {
    const Word<D> whole = d.slice(word, 1, d.width(word));
    const Truncated<D> at{.negative = negative, .lsb = d.bit(whole, 0), .guard = d.bit(word, 0), .sticky = sticky};
    return d.increment(whole, rounds_away(d, mode, at));
}

template <Domain D>
Bit<D> overflows_to_infinity(D& d, Overflow rule, Rounding mode, Bit<D> negative) {
    if (rule != Overflow::ieee) return rule == Overflow::infinity ? d.one() : d.zero();
    switch (mode) {
    case Rounding::rne:
    case Rounding::rna:
    case Rounding::ra:
    case Rounding::rnu:
    case Rounding::rnd:
    case Rounding::rnz:
    case Rounding::rno: return d.one();
    case Rounding::rd: return negative;
    case Rounding::ru: return d.bit_not(negative);
    case Rounding::rz:
    case Rounding::odd: break;
    }
    return d.zero();
}

template <Domain D>
Word<D> packed(D& d, const Format& f, const Parts<D>& parts) {
    const Word<D> fields = d.concat(parts.exponent, d.concat(parts.mantissa, d.constant(0, f.padding_bits)));
    return d.concat(d.repeat(parts.sign, 1), fields);
}

template <Domain D>
Parts<D> mux(D& d, Bit<D> condition, const Parts<D>& then, const Parts<D>& otherwise) {
    return {d.mux(condition, then.sign, otherwise.sign), d.mux(condition, then.exponent, otherwise.exponent),
            d.mux(condition, then.mantissa, otherwise.mantissa)};
}

template <Domain D>
Parts<D> infinity_parts(D& d, const Format& f, Bit<D> negative) {
    return {negative, d.constant(~0ull, f.exponent_bits), d.constant(f.infinite_mantissa(), f.mantissa_bits)};
}

/// The NaN that keeps what the content carries; a NaN made by an operation has the sign bit set.
template <Domain D>
Parts<D> nan_parts(D& d, const Format& f, const typename Number<D>::Content& content) {
    const int m = f.mantissa_bits;
    if (f.has_nan_for_minus_zero()) return {d.one(), d.constant(0, f.exponent_bits), d.constant(0, m)};
    const Bit<D> sign = d.mux(content.here, content.negative, d.one());
    const Word<D> full_exponent = d.constant(~0ull, f.exponent_bits);
    if (f.specials == Specials::all_ones) return {sign, full_exponent, d.constant(~0ull, m)};
    const Word<D> payload = d.mask(content.here, d.slice(content.payload, payload_bits - m, m));
    return {sign, full_exponent, d.concat(d.repeat(d.one(), 1), d.slice(payload, 0, m - 1))}; // quiet
}

/// Whether a NaN under nan=rdna is one that an invalid operation made, where it is not that of a factor.
template <Domain D>
Bit<D> is_invalid(D& d, const Number<D>& x) {
    return d.bit_or(x.nan_kind->invalid, d.bit_not(x.content.here));
}

/// The NaN under nan=rdna, in an IEEE format: by its kind.
template <Domain D>
Parts<D> nan_parts_by_kind(D& d, const Format& f, const Number<D>& x) {
    const auto negative = [&](std::uint64_t fraction) {
        return Parts<D>{d.one(), d.constant(~0ull, f.exponent_bits), d.constant(fraction, f.mantissa_bits)};
    };
    const Parts<D> of_factor = negative(factor_nan_fraction(f));
    const Parts<D> of_invalid = x.nan_kind->invalid_as_of_factor ? of_factor : negative(1ull << (f.mantissa_bits - 1));
    const Parts<D> content = nan_parts<D>(d, f, x.content);
    const Parts<D> other = mux(d, is_invalid(d, x), of_invalid, content);
    return mux(d, x.nan_kind->factor, of_factor, other);
}

/// The pattern in two's complement; those of the largest magnitudes, of which the negative one is no Parts.
template <Domain D>
Word<D> fixed_point(D& d, const Parts<D>& parts) {
    const Word<D> magnitude = d.concat(parts.exponent, parts.mantissa);
    return d.negate_if(parts.sign, d.resize(magnitude, d.width(magnitude) + 1));
}
template <Domain D>
Word<D> largest_fixed_point(D& d, const Format& f, Bit<D> negative) {
    return d.concat(d.repeat(negative, 1), d.repeat(d.bit_not(negative), f.width - 1));
}

/// The pattern, in the rule's format, of a number.
template <Domain D>
RoundStages<D> round(D& d, const Round& rule, const Number<D>& x) {
    const Format& f = format(rule.format);
    const int m = f.mantissa_bits, w = d.width(x.magnitude);
    const Bit<D> zero = d.bit_not(d.any(x.magnitude));

    // floor(log2 |value|), and the significand with its highest bit at the top: m + 1 bits, guard, and the rest.
    const Normalised<D> normal = d.normalise(x.magnitude);
    const int shift = w - 1 - x.fraction_bits;
    const Integer<D> top = difference(d, offset_by(x.base, shift), integer(d, normal.leading_zeros, 0),
                                      std::max(x.base.low - x.fraction_bits, x.lsb), x.base.high + shift);
    const Word<D> unlimited = d.slice(normal.word, w - (m + 2), m + 2);
    const Bit<D> unlimited_sticky = d.any(d.slice(normal.word, 0, w - (m + 2)));

    // Below the smallest normal number the lsb stays where it is.
    const Integer<D> emin = integer(d, f.emin());
    const Bit<D> tiny = less(d, top, emin);
    Integer<D> exponent = larger(d, top, emin);
    const Integer<D> amount = difference(d, exponent, top, 0, exponent.high - top.low);
    const Shifted<D> limited = d.shift_right(unlimited, amount.bits);
    const Bit<D> sticky = d.bit_or(unlimited_sticky, limited.sticky);

    const Word<D> significand = rounded(d, rule.mode, x.negative, limited.word, sticky);
    exponent = plus(d, exponent, msb(d, significand)); // a carry leaves 10…0
    const Bit<D> hidden = d.any(d.slice(significand, m, 2));
    const Word<D> mantissa = d.slice(significand, 0, m);
    const Bit<D> to_zero = d.bit_not(d.any(significand));

    Bit<D> flushed = d.zero();
    if (rule.ftz == Flush::result) flushed = d.bit_and(d.bit_not(hidden), d.bit_not(to_zero));
    if (rule.ftz == Flush::before) flushed = tiny;
    if (rule.ftz == Flush::after) {
        const Word<D> other = rounded(d, rule.mode, x.negative, unlimited, unlimited_sticky);
        flushed = less(d, plus(d, top, msb(d, other)), emin);
    }

    const Bit<D> above = less(d, integer(d, f.emax()), exponent);
    const Bit<D> at_top = d.bit_and(d.bit_not(above), d.bit_not(less(d, exponent, integer(d, f.emax()))));
    const Bit<D> beyond = d.less(d.constant(f.max_significand(), m), mantissa);
    const Bit<D> overflow = d.bit_or(above, d.bit_and(at_top, beyond));

    // A subnormal's field is 0, that of the smallest normal number 1.
    const Integer<D> field =
        difference(d, exponent, integer(d, f.emin() - 1), 0, std::max(1, exponent.high - f.emin() + 1));
    Parts<D> result{x.negative, d.mask(hidden, d.resize(field.bits, f.exponent_bits)), mantissa};
    const Parts<D> largest{x.negative, d.constant(static_cast<std::uint64_t>(f.emax() + f.bias), f.exponent_bits),
                           d.constant(f.max_significand(), m)};
    const Bit<D> minus = d.bit_or(x.special.minus, x.special.tentative_minus);
    const Bit<D> infinite = any_of(d, {x.special.plus, x.special.tentative_plus, minus});
    const Bit<D> is_nan = d.bit_or(x.special.nan, x.special.tentative_nan);
    RoundStages<D> stages{zero,     normal,  top,      tiny,     limited.word, sticky, significand,
                          exponent, flushed, overflow, infinite, {},           {}};
    if (f.is_fixed_point()) { // what is too large, or infinite, gives the largest number of its sign, NaN 0
        const Bit<D> sign = d.mux(infinite, minus, x.negative);
        const Bit<D> beyond_all = d.bit_or(infinite, d.bit_and(overflow, d.bit_not(to_zero)));
        stages.finite = fixed_point(d, result);
        const Word<D> number = d.mux(beyond_all, largest_fixed_point(d, f, sign), stages.finite);
        stages.pattern = d.mask(d.bit_not(is_nan), number);
        return stages;
    }
    const Parts<D> nan = x.nan_kind ? nan_parts_by_kind(d, f, x) : nan_parts<D>(d, f, x.content);
    const auto infinity = [&](Bit<D> negative) { return f.has_infinity() ? infinity_parts(d, f, negative) : nan; };
    const Parts<D> beyond_largest =
        mux(d, overflows_to_infinity(d, rule.overflow, rule.mode, x.negative), infinity(x.negative), largest);
    result = mux(d, overflow, beyond_largest, result);

    // Zeros: exact ones, flushed ones, and those that the mode made.
    const Bit<D> mixed_sign = rule.mode == Rounding::rd ? d.one() : d.zero();
    Bit<D> zero_sign = d.mux(x.seen_plus, d.bit_and(x.seen_minus, mixed_sign), x.seen_minus);
    if (!rule.zsign_ieee) zero_sign = d.zero();
    Bit<D> sign = d.mux(flushed, rule.fsign_keep ? x.negative : d.zero(), rule.usign_keep ? x.negative : d.zero());
    sign = d.mux(zero, zero_sign, sign);
    if (!f.has_minus_zero()) sign = d.zero();
    const Parts<D> nothing{sign, d.constant(0, f.exponent_bits), d.constant(0, m)};
    result = mux(d, d.bit_or(flushed, to_zero), nothing, result);
    stages.finite = packed(d, f, result);

    result = mux(d, infinite, infinity(minus), result);
    result = mux(d, is_nan, nan, result);
    stages.pattern = packed(d, f, result);
    return stages;
}

} // namespace discern::circuit
