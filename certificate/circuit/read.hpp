// The meaning of a format's patterns, by its record in models/format.hpp. docs/notation.md, "Operands".
#pragma once

#include "number.hpp"

#include "models/format.hpp"

namespace discern::circuit {

/// The fields of a pattern.
template <Domain D>
struct Fields {
    Bit<D> sign;
    Word<D> mantissa, exponent;
};

template <Domain D>
Fields<D> fields(D& d, const Format& f, const Word<D>& pattern) {
    return {f.is_signed ? msb(d, pattern) : d.zero(), d.slice(pattern, f.padding_bits, f.mantissa_bits),
            d.slice(pattern, f.padding_bits + f.mantissa_bits, f.exponent_bits)};
}

/// Whether a pattern is a NaN.
template <Domain D>
Bit<D> is_nan(D& d, const Format& f, const Word<D>& pattern) {
    const Fields<D> x = fields(d, f, pattern);
    switch (f.specials) {
    case Specials::ieee: {
        const Bit<D> some_mantissa = d.any(x.mantissa);
        const Bit<D> full_exponent = d.all(x.exponent);
        return d.bit_and(full_exponent, some_mantissa);
    }
    case Specials::all_ones: {
        const Bit<D> full_mantissa = d.all(x.mantissa);
        const Bit<D> full_exponent = d.all(x.exponent);
        return d.bit_and(full_exponent, full_mantissa);
    }
    case Specials::fnuz:
    case Specials::inuz: {
        const Bit<D> some_mantissa = d.any(x.mantissa);
        const Bit<D> some_exponent = d.any(x.exponent);
        return d.bit_and(x.sign, d.bit_not(d.bit_or(some_exponent, some_mantissa)));
    }
    case Specials::none:
    case Specials::fixed: break;
    }
    return d.zero();
}

/// Whether a pattern is an infinity.
template <Domain D>
Bit<D> is_infinite(D& d, const Format& f, const Word<D>& pattern) {
    const Fields<D> x = fields(d, f, pattern);
    if (!f.has_infinity()) return d.zero();
    const Bit<D> mantissa = f.specials == Specials::ieee ? d.bit_not(d.any(x.mantissa)) : d.all(x.mantissa);
    const Bit<D> full_exponent = d.all(x.exponent);
    return d.bit_and(full_exponent, mantissa);
}

/// Two's complement. All numbers have one exponent.
template <Domain D>
Number<D> read_fixed_point(D& d, const Format& f, const Word<D>& pattern) {
    Number<D> x(d);
    x.negative = x.seen_minus = msb(d, pattern);
    x.seen_plus = d.bit_not(x.negative);
    x.magnitude = d.negate_if(x.negative, pattern);
    x.base = x.exponent = integer(d, f.emin());
    x.fraction_bits = f.mantissa_bits;
    x.lsb = f.lsb();
    return x;
}

/// The number of a pattern, which has the format's width.
template <Domain D>
Number<D> read(D& d, const Format& f, const Word<D>& pattern) {
    if (f.is_fixed_point()) return read_fixed_point(d, f, pattern);
    const Fields<D> in = fields(d, f, pattern);
    Number<D> x(d);
    x.negative = in.sign;
    x.seen_plus = d.bit_not(in.sign);
    x.seen_minus = in.sign;

    // A subnormal has the exponent of the smallest normal number, and no hidden bit.
    const Bit<D> hidden = f.has_zero ? d.any(in.exponent) : d.one();
    const Word<D> is_subnormal = d.resize(d.repeat(d.bit_not(hidden), 1), f.exponent_bits);
    x.magnitude = d.concat(d.repeat(hidden, 1), in.mantissa);
    x.base = x.exponent = integer(d, d.word_or(in.exponent, is_subnormal), -f.bias);
    x.fraction_bits = f.mantissa_bits;
    x.lsb = f.lsb();

    const Bit<D> infinite = is_infinite(d, f, pattern);
    x.special.nan = is_nan(d, f, pattern);
    x.special.plus = d.bit_and(infinite, d.bit_not(in.sign));
    x.special.minus = d.bit_and(infinite, in.sign);
    x.content.here = x.special.nan;
    x.content.negative = in.sign;
    x.content.payload = d.slice(in.mantissa, f.mantissa_bits - payload_bits, payload_bits);
    return x;
}

} // namespace discern::circuit
