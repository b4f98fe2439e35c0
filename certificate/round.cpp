// Normalise, round and pack: the conversion to a format.
#include "number.hpp"

#include "models/format.hpp"

#include <algorithm>

namespace discern::certificate {

namespace {

/// Cuts the last bit of a word, the half, and rounds the others; one bit more for a carry.
Bits rounded(Netlist& n, Rounding mode, Literal negative, const Bits& word, Literal rest) {
    const Bits whole = part(word, 1, width(word));
    const Cut cut{.negative = negative, .odd_last = whole.front(), .half = word.front(), .rest = rest};
    return increment(n, whole, rounds_away(n, mode, cut));
}

Literal overflows_to_infinity(Overflow rule, Rounding mode, Literal negative) {
    if (rule != Overflow::ieee) return rule == Overflow::infinity ? yes : no;
    switch (mode) {
    case Rounding::rne:
    case Rounding::rna: return yes;
    case Rounding::rd: return negative;
    case Rounding::ru: return opposite(negative);
    case Rounding::rz:
    case Rounding::odd: break;
    }
    return no;
}

/// The fields of a pattern, without padding.
struct Parts {
    Literal sign;
    Bits exponent, mantissa;
};

Bits packed(const Format& f, const Parts& parts) {
    Bits pattern = constant(0, f.padding_bits);
    pattern.insert(pattern.end(), parts.mantissa.begin(), parts.mantissa.end());
    pattern.insert(pattern.end(), parts.exponent.begin(), parts.exponent.end());
    pattern.push_back(parts.sign);
    return pattern;
}

Parts infinity_parts(const Format& f, Literal negative) {
    return {negative, constant(~0ull, f.exponent_bits), constant(0, f.mantissa_bits)};
}

/// The NaN that keeps what the content carries; a NaN made by an operation has the sign bit set.
Parts nan_parts(Netlist& n, const Format& f, const Number::Content& content) {
    if (f.specials == Specials::fnuz) return {yes, constant(0, f.exponent_bits), constant(0, f.mantissa_bits)};
    const Literal sign = n.choice(content.here, content.negative, yes);
    if (f.specials == Specials::all_ones)
        return {sign, constant(~0ull, f.exponent_bits), constant(~0ull, f.mantissa_bits)};
    Bits mantissa = only_if(n, content.here, part(content.payload, content_bits - f.mantissa_bits, f.mantissa_bits));
    mantissa.back() = yes; // quiet
    return {sign, constant(~0ull, f.exponent_bits), mantissa};
}

/// The pattern in two's complement; those of the largest magnitudes, of which the negative one is no Parts.
Bits fixed_point(Netlist& n, const Parts& parts) {
    Bits magnitude = parts.mantissa;
    magnitude.insert(magnitude.end(), parts.exponent.begin(), parts.exponent.end());
    magnitude.push_back(no);
    return increment(n, reversed_if(n, parts.sign, magnitude), parts.sign);
}
Bits largest_fixed_point(const Format& f, Literal negative) {
    Bits pattern(static_cast<std::size_t>(f.width - 1), opposite(negative));
    pattern.push_back(negative);
    return pattern;
}

Parts choose(Netlist& n, Literal condition, const Parts& then, const Parts& otherwise) {
    return {n.choice(condition, then.sign, otherwise.sign), choose(n, condition, then.exponent, otherwise.exponent),
            choose(n, condition, then.mantissa, otherwise.mantissa)};
}

} // namespace

Bits round(Netlist& n, const Round& rule, const Number& x) {
    const Format& f = format(rule.format);
    const int m = f.mantissa_bits, w = width(x.magnitude);
    const Literal zero = opposite(any(n, x.magnitude));

    // floor(log2 |value|), and the significand with its highest bit at the top: m + 1 bits, half, and the rest.
    const Normalised normal = normalise(n, x.magnitude);
    const int shift = w - 1 - x.places;
    const Integer top = difference(n, moved(x.base, shift), integer(normal.count, 0),
                                   std::max(x.base.low - x.places, x.last), x.base.high + shift);
    const Bits unlimited = part(normal.word, w - (m + 2), m + 2);
    const Literal unlimited_rest = any(n, part(normal.word, 0, w - (m + 2)));

    // Below the smallest normal number the last place stays where it is.
    const Integer emin = integer(f.emin());
    const Literal tiny = less(n, top, emin);
    Integer exponent = larger(n, top, emin);
    const Integer amount = difference(n, exponent, top, 0, exponent.high - top.low);
    const Shifted limited = shift_right(n, unlimited, amount.bits);
    const Literal rest = n.either(unlimited_rest, limited.lost);

    const Bits significand = rounded(n, rule.mode, x.negative, limited.word, rest);
    exponent = plus(n, exponent, significand.back()); // a carry leaves 10…0
    const Literal hidden = any(n, part(significand, m, 2));
    const Bits mantissa = part(significand, 0, m);
    const Literal to_zero = opposite(any(n, significand));

    Literal flushed = no;
    if (rule.flush == Flush::result) flushed = n.both(opposite(hidden), opposite(to_zero));
    if (rule.flush == Flush::before) flushed = tiny;
    if (rule.flush == Flush::after) {
        const Bits other = rounded(n, rule.mode, x.negative, unlimited, unlimited_rest);
        flushed = less(n, plus(n, top, other.back()), emin);
    }

    const Literal above = less(n, integer(f.emax()), exponent);
    const Literal at_top = n.both(opposite(above), opposite(less(n, exponent, integer(f.emax()))));
    const Literal beyond = less(n, constant(f.max_significand(), m), mantissa);
    const Literal overflow = n.either(above, n.both(at_top, beyond));

    // A subnormal's field is 0, that of the smallest normal number 1.
    const Integer field = difference(n, exponent, integer(f.emin() - 1), 0, std::max(1, exponent.high - f.emin() + 1));
    Parts result{x.negative, only_if(n, hidden, resized(field.bits, f.exponent_bits)), mantissa};
    const Parts largest{x.negative, constant(static_cast<std::uint64_t>(f.emax() + f.bias), f.exponent_bits),
                        constant(f.max_significand(), m)};
    const Literal minus = n.either(x.special.minus, x.special.soft_minus);
    const Literal infinite = any(n, {x.special.plus, x.special.soft_plus, minus});
    const Literal is_nan = n.either(x.special.nan, x.special.soft_nan);
    if (f.is_fixed_point()) { // what is too large, or infinite, gives the largest number of its sign, NaN 0
        const Literal sign = n.choice(infinite, minus, x.negative);
        const Literal beyond_all = n.either(infinite, n.both(overflow, opposite(to_zero)));
        const Bits number = choose(n, beyond_all, largest_fixed_point(f, sign), fixed_point(n, result));
        return only_if(n, opposite(is_nan), number);
    }
    const Parts nan = nan_parts(n, f, x.content);
    const auto infinity = [&](Literal negative) { return f.has_infinity() ? infinity_parts(f, negative) : nan; };
    const Parts beyond_largest =
        choose(n, overflows_to_infinity(rule.overflow, rule.mode, x.negative), infinity(x.negative), largest);
    result = choose(n, overflow, beyond_largest, result);

    // Zeros: exact ones, flushed ones, and those that the mode made.
    const Literal mixed_sign = rule.mode == Rounding::rd ? yes : no;
    Literal zero_sign = n.choice(x.seen_plus, n.both(x.seen_minus, mixed_sign), x.seen_minus);
    if (!rule.zero_sign_ieee) zero_sign = no;
    Literal sign =
        n.choice(flushed, rule.flush_keeps_sign ? x.negative : no, rule.underflow_keeps_sign ? x.negative : no);
    sign = n.choice(zero, zero_sign, sign);
    if (!f.has_minus_zero()) sign = no;
    const Parts nothing{sign, constant(0, f.exponent_bits), constant(0, m)};
    result = choose(n, n.either(flushed, to_zero), nothing, result);

    result = choose(n, infinite, infinity(minus), result);
    result = choose(n, is_nan, nan, result);
    return packed(f, result);
}

} // namespace discern::certificate
