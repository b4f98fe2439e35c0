// Normalise, round and pack: the conversion to a format. As certificate/round.cpp.
#include "number.hpp"

#include "models/format.hpp"

#include <algorithm>

namespace discern::rtl {

namespace {

using Integer = Sheet::Integer;

/// Cuts the last bit of a word, the half, and rounds the others; one bit more for a carry.
Term rounded(Sheet& s, Rounding mode, Term negative, Term word, Term rest) {
    const Term whole = s.part(word, 1, s.t.width(word));
    const Cut cut{.negative = negative, .odd_last = s.t.bit(whole, 0), .half = s.t.bit(word, 0), .rest = rest};
    return s.increment(whole, rounds_away(s, mode, cut));
}

Term overflows_to_infinity(Sheet& s, Overflow rule, Rounding mode, Term negative) {
    if (rule != Overflow::ieee) return rule == Overflow::infinity ? s.yes() : s.no();
    switch (mode) {
    case Rounding::rne:
    case Rounding::rna: return s.yes();
    case Rounding::rd: return negative;
    case Rounding::ru: return s.opposite(negative);
    case Rounding::rz:
    case Rounding::odd: break;
    }
    return s.no();
}

/// A pattern without its sign, and the sign. Formats without fraction bits have no mantissa.
struct Parts {
    Term sign, fields; ///< exponent above mantissa
};

Term fields_of(Sheet& s, const Format& f, Term exponent, Term mantissa) {
    return f.mantissa_bits == 0 ? exponent : s.t.concat(exponent, mantissa);
}

Term packed(Sheet& s, const Format& f, const Parts& parts) {
    const Term pattern = s.t.concat(parts.sign, parts.fields);
    return f.padding_bits == 0 ? pattern : s.t.concat(pattern, s.constant(0, f.padding_bits));
}

Term infinity_fields(Sheet& s, const Format& f) {
    const Term ones = s.t.constant(Bits::ones(f.exponent_bits));
    return f.mantissa_bits == 0 ? ones : s.t.concat(ones, s.constant(0, f.mantissa_bits));
}

/// The NaN that keeps what the content carries; a NaN made by an operation has the sign bit set.
Parts nan_parts(Sheet& s, const Format& f, const Number::Content& content) {
    const int width = f.exponent_bits + f.mantissa_bits;
    if (f.specials == Specials::fnuz) return {s.yes(), s.constant(0, width)};
    const Term sign = s.choose(content.here, content.negative, s.yes());
    if (f.specials == Specials::all_ones || f.mantissa_bits == 0) return {sign, s.t.constant(Bits::ones(width))};
    const Term kept = s.only_if(content.here, s.part(content.payload, content_bits - f.mantissa_bits, f.mantissa_bits));
    const Term quiet = s.either(kept, s.constant(std::uint64_t{1} << (f.mantissa_bits - 1), f.mantissa_bits));
    return {sign, s.t.concat(s.t.constant(Bits::ones(f.exponent_bits)), quiet)};
}

Parts choose(Sheet& s, Term condition, const Parts& then, const Parts& otherwise) {
    return {s.choose(condition, then.sign, otherwise.sign), s.choose(condition, then.fields, otherwise.fields)};
}

Term below_is_set(Sheet& s, Term x, int count) { return count <= 0 ? s.no() : s.any(s.part(x, 0, count)); }

} // namespace

Term round(Sheet& s, const Round& rule, const Number& x) {
    const Format& f = format(rule.format);
    const int m = f.mantissa_bits, w = s.t.width(x.magnitude);
    const Term zero = s.wire("zero", s.opposite(s.any(x.magnitude)));

    // floor(log2 |value|), and the significand with its highest bit at the top: m + 1 bits, half, and the rest.
    const Sheet::Normalised normal = s.normalise("normal", x.magnitude);
    s.wire("leading_zeros", normal.count);
    const int shift = w - 1 - x.places;
    const Integer top = s.difference(Sheet::moved(x.base, shift), Sheet::integer(s.t, normal.count, 0),
                                     std::max(x.base.low - x.places, x.last), x.base.high + shift);
    s.wire("top", top.bits, "the highest bit's exponent, above " + std::to_string(top.low));
    const Term unlimited = s.part(normal.word, w - (m + 2), m + 2);
    const Term unlimited_rest = below_is_set(s, normal.word, w - (m + 2));

    // Below the smallest normal number the last place stays where it is.
    const Integer emin = s.integer(f.emin());
    const Term tiny = s.wire("tiny", s.less(top, emin), "below the normal numbers");
    Integer exponent = s.larger(top, emin);
    const Integer amount = s.difference(exponent, top, 0, exponent.high - top.low);
    const Sheet::Shifted limited = s.shift_right(unlimited, amount.bits);
    const Term rest = s.either(unlimited_rest, limited.lost);
    s.wire("limited", limited.word, "the significand, its last place limited, and half");
    s.wire("rest", rest, "something is below");

    const Term significand = s.wire("significand", rounded(s, rule.mode, x.negative, limited.word, rest), "rounded");
    exponent = s.plus(exponent, s.t.bit(significand, s.t.width(significand) - 1)); // a carry leaves 10…0
    s.wire("exponent", exponent.bits, "above " + std::to_string(exponent.low));
    const Term hidden = s.any(s.part(significand, m, 2));
    const Term mantissa = m == 0 ? s.no() : s.part(significand, 0, m);
    const Term to_zero = s.opposite(s.any(significand));

    Term flushed = s.no();
    if (rule.flush == Flush::result) flushed = s.both(s.opposite(hidden), s.opposite(to_zero));
    if (rule.flush == Flush::before) flushed = tiny;
    if (rule.flush == Flush::after) {
        const Term other = rounded(s, rule.mode, x.negative, unlimited, unlimited_rest);
        flushed = s.less(s.plus(top, s.t.bit(other, s.t.width(other) - 1)), emin);
    }
    s.wire("flushed", flushed);

    const Term above = s.less(s.integer(f.emax()), exponent);
    const Term at_top = s.both(s.opposite(above), s.opposite(s.less(exponent, s.integer(f.emax()))));
    const Term largest_mantissa = s.constant(f.max_significand(), std::max(m, 1));
    const Term beyond = m == 0 ? s.no() : s.t.bvult(largest_mantissa, mantissa);
    const Term overflow = s.wire("overflow", s.either(above, s.both(at_top, beyond)));

    // A subnormal's field is 0, that of the smallest normal number 1.
    const Integer field = s.difference(exponent, s.integer(f.emin() - 1), 0, std::max(1, exponent.high - f.emin() + 1));
    Parts result{x.negative, fields_of(s, f, s.only_if(hidden, s.resized(field.bits, f.exponent_bits)), mantissa)};
    const Parts largest{
        x.negative,
        fields_of(s, f, s.constant(static_cast<std::uint64_t>(f.emax() + f.bias), f.exponent_bits), largest_mantissa)};
    const Term minus = s.either(x.special.minus, x.special.soft_minus);
    const Term is_infinite = s.wire("infinite", s.either(s.either(x.special.plus, x.special.soft_plus), minus));
    const Term is_nan = s.either(x.special.nan, x.special.soft_nan);
    if (f.is_fixed_point()) { // what is too large, or infinite, gives the largest number of its sign, NaN 0
        const Term magnitude = s.resized(result.fields, f.width);
        const Term sign = s.choose(is_infinite, minus, x.negative);
        const Term beyond_all = s.either(is_infinite, s.both(overflow, s.opposite(to_zero)));
        const Term limit = s.t.concat(sign, s.reversed_if(sign, s.t.constant(Bits::ones(f.width - 1))));
        const Term number =
            s.choose(beyond_all, limit, s.increment(s.reversed_if(result.sign, magnitude), result.sign));
        return s.only_if(s.opposite(is_nan), number);
    }
    const Parts nan = nan_parts(s, f, x.content);
    const auto infinity = [&](Term negative) {
        return f.has_infinity() ? Parts{negative, infinity_fields(s, f)} : nan;
    };
    const Parts beyond_largest =
        choose(s, overflows_to_infinity(s, rule.overflow, rule.mode, x.negative), infinity(x.negative), largest);
    result = choose(s, overflow, beyond_largest, result);

    // Zeros: exact ones, flushed ones, and those that the mode made.
    const Term mixed_sign = rule.mode == Rounding::rd ? s.yes() : s.no();
    Term zero_sign = s.choose(x.seen_plus, s.both(x.seen_minus, mixed_sign), x.seen_minus);
    if (!rule.zero_sign_ieee) zero_sign = s.no();
    Term sign =
        s.choose(flushed, rule.flush_keeps_sign ? x.negative : s.no(), rule.underflow_keeps_sign ? x.negative : s.no());
    sign = s.choose(zero, zero_sign, sign);
    if (!f.has_minus_zero()) sign = s.no();
    result = choose(s, s.either(flushed, to_zero), {sign, s.constant(0, f.exponent_bits + m)}, result);
    s.wire("finite", packed(s, f, result), "the result unless it is infinite or NaN");

    result = choose(s, is_infinite, infinity(minus), result);
    result = choose(s, is_nan, nan, result);
    return packed(s, f, result);
}

} // namespace discern::rtl
