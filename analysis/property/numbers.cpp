// Most functions stand here twice, for values and for terms; the exact comparisons use fixed point.
#include "numbers.hpp"

#include "elements.hpp"

#include "encodings/number/number.hpp"
#include "models/evaluate/wide_int.hpp"

#include <algorithm>
#include <array>

namespace discern::property {

namespace {

/// Bits of a magnitude: the pattern without sign and padding.
int magnitude_bits(const Format& f) { return f.exponent_bits + f.mantissa_bits; }

/// A product of two finite numbers: ±significand · 2^exponent, the significand's top bit set unless it is zero.
struct ExactProduct {
    bool negative = false;
    wide::u128 significand = 0;
    int exponent = 0;
};

ExactProduct product_of(const Format& a, const Format& b, std::uint64_t x, std::uint64_t y) {
    const Decoded one = decode(a, x), other = decode(b, y);
    ExactProduct p{one.negative != other.negative, wide::u128(one.significand) * other.significand,
                   one.exponent + other.exponent};
    if (p.significand == 0) return p;
    for (; (p.significand >> 127) == 0; --p.exponent) p.significand <<= 1;
    return p;
}

/// -1, 0, 1: |p| against |q|.
int compare_magnitudes(const ExactProduct& p, const ExactProduct& q) {
    if (p.significand == 0 || q.significand == 0) return (p.significand != 0) - (q.significand != 0);
    if (p.exponent != q.exponent) return p.exponent < q.exponent ? -1 : 1;
    return p.significand == q.significand ? 0 : p.significand < q.significand ? -1 : 1;
}

/// The product as a fixed-point number in two's complement.
Term fixed_point(Terms& t, const Number& x, const Number& y) {
    const Term magnitude = t.mul_wide(x.magnitude, y.magnitude);
    const Ranged lsb = add(t, x.lsb, y.lsb);
    const int width = t.width(magnitude) + (lsb.high - lsb.low) + 1;
    const Term fixed = t.bvshl(t.zero_extend(magnitude, width), above(t, lsb, lsb.low));
    return t.ite(t.bvxor(x.sign, y.sign), t.bvneg(fixed), fixed);
}

} // namespace

bool is_zero(const Format& f, std::uint64_t bits) { return decode(f, bits).is_zero(); }
bool is_nan(const Format& f, std::uint64_t bits) { return decode(f, bits).number_class == NumberClass::nan; }
bool is_infinite(const Format& f, std::uint64_t bits) { return decode(f, bits).number_class == NumberClass::infinite; }

Term is_zero(Terms& t, const Format& f, Term bits) { return decode_term(t, f, bits).zero; }

Term is_infinite(Terms& t, const Format& f, Term bits) {
    const Number n = decode_term(t, f, bits);
    return t.bvor(n.positive, n.negative);
}

Term is_finite(Terms& t, const Format& f, Term bits) {
    const Number n = decode_term(t, f, bits);
    const Term special[] = {n.nan, n.positive, n.negative};
    return t.bvnot(t.any_of(special));
}

Term negated(Terms& t, const Format& f, Term bits) {
    const int low = f.width - 1;
    const Term magnitude = t.extract(bits, 0, low);
    const Term other = t.concat(t.bvnot(t.bit(bits, low)), magnitude);
    return f.has_nan_for_minus_zero() ? t.ite(t.is_zero(magnitude), bits, other) : other;
}

bool alike(const Format& f, std::uint64_t x, std::uint64_t y, Zeros zeros) {
    if (x == y || (is_nan(f, x) && is_nan(f, y))) return true;
    return zeros == Zeros::alike && is_zero(f, x) && is_zero(f, y);
}

Term alike(Terms& t, const Format& f, Term x, Term y, Zeros zeros) {
    const Term same = t.eq(x, y);
    if (same == t.truth(true)) return same;
    const Number one = decode_term(t, f, x), other = decode_term(t, f, y);
    const Term ways[] = {same, t.bvand(one.nan, other.nan),
                         zeros == Zeros::alike ? t.bvand(one.zero, other.zero) : t.truth(false)};
    return t.any_of(ways);
}

Term place_of(Terms& t, const Format& f, Term bits) {
    const Term magnitude = t.zero_extend(t.extract(bits, f.padding_bits, magnitude_bits(f)), ordinal_width(f));
    return f.is_signed ? t.ite(t.bit(bits, f.width - 1), t.bvneg(magnitude), magnitude) : magnitude;
}

bool is_larger_product(const Format& a, const Format& b, std::uint64_t x, std::uint64_t y, std::uint64_t u,
                       std::uint64_t v) {
    const ExactProduct p = product_of(a, b, x, y), q = product_of(a, b, u, v);
    const auto sign = [](const ExactProduct& one) { return one.significand == 0 ? 0 : one.negative ? -1 : 1; };
    if (sign(p) != sign(q)) return sign(p) < sign(q);
    return sign(p) >= 0 ? compare_magnitudes(p, q) < 0 : compare_magnitudes(p, q) > 0;
}

Term is_larger_product(Terms& t, const Format& a, const Format& b, Term x, Term y, Term u, Term v) {
    const Term p = fixed_point(t, decode_term(t, a, x), decode_term(t, b, y)),
               q = fixed_point(t, decode_term(t, a, u), decode_term(t, b, v));
    return t.bvslt(p, q);
}

Special special_of(const Unit& unit, const Inputs& inputs) {
    bool nan = false, plus = false, minus = false;
    const auto term = [&](std::span<const Decoded> factors) {
        bool infinite = false, zero = false, negative = false;
        for (const Decoded& x : factors) {
            nan = nan || x.number_class == NumberClass::nan;
            infinite = infinite || x.number_class == NumberClass::infinite;
            zero = zero || x.is_zero();
            negative = negative != x.negative;
        }
        nan = nan || (infinite && zero);
        if (infinite) (negative ? minus : plus) = true;
    };
    for (std::size_t k = 0; k < inputs.a.size(); ++k) {
        std::vector<Decoded> factors = {decode(format(unit.a), inputs.a[k]), decode(format(unit.b), inputs.b[k])};
        if (unit.scale)
            for (const auto& row : {inputs.sa, inputs.sb})
                factors.push_back(decode(format(unit.scale->format), row[scale_of(unit, k)]));
        term(factors);
    }
    if (unit.c) term(std::array{decode(format(*unit.c), inputs.c)});
    if (nan || (plus && minus)) return Special::nan;
    return plus ? Special::plus_infinity : minus ? Special::minus_infinity : Special::none;
}

SpecialTerms special_of(Terms& t, const Unit& unit, const InputTerms& inputs) {
    std::vector<Term> nans, pluses, minuses;
    const auto term = [&](std::span<const Number> factors) {
        std::vector<Term> infinities, zeros;
        Term negative = t.truth(false);
        for (const Number& x : factors) {
            nans.push_back(x.nan);
            infinities.push_back(t.bvor(x.positive, x.negative));
            zeros.push_back(x.zero);
            negative = t.bvxor(negative, x.sign);
        }
        const Term infinite = t.any_of(infinities);
        nans.push_back(t.bvand(infinite, t.any_of(zeros)));
        pluses.push_back(t.bvand(infinite, t.bvnot(negative)));
        minuses.push_back(t.bvand(infinite, negative));
    };
    for (std::size_t k = 0; k < inputs.a.size(); ++k) {
        std::vector<Number> factors = {decode_term(t, format(unit.a), inputs.a[k]),
                                       decode_term(t, format(unit.b), inputs.b[k])};
        if (unit.scale)
            for (const auto* row : {&inputs.sa, &inputs.sb})
                factors.push_back(decode_term(t, format(unit.scale->format), row->at(scale_of(unit, k))));
        term(factors);
    }
    if (unit.c) term(std::array{decode_term(t, format(*unit.c), *inputs.c)});
    const Term plus = t.any_of(pluses), minus = t.any_of(minuses);
    const Term nan = t.bvor(t.any_of(nans), t.bvand(plus, minus));
    const Term any[] = {nan, plus, minus};
    return {t.any_of(any), nan, t.bvand(plus, t.bvnot(nan)), t.bvand(minus, t.bvnot(nan))};
}

std::optional<Exponents> exponents_of(const Unit& unit, const Inputs& inputs) {
    std::optional<Exponents> all;
    const auto term = [&](int exponent) {
        if (!all) all = Exponents{exponent, exponent};
        all = Exponents{std::min(all->least, exponent), std::max(all->most, exponent)};
    };
    for (std::size_t k = 0; k < inputs.a.size(); ++k) {
        const Decoded x = decode(format(unit.a), inputs.a[k]), y = decode(format(unit.b), inputs.b[k]);
        bool zero = x.is_zero() || y.is_zero();
        int exponent = x.exponent + y.exponent;
        if (unit.scale)
            for (const auto& row : {inputs.sa, inputs.sb}) {
                const Decoded s = decode(format(unit.scale->format), row[scale_of(unit, k)]);
                zero = zero || s.is_zero();
                exponent += s.exponent;
            }
        if (!zero) term(exponent);
    }
    if (unit.c)
        if (const Decoded c = decode(format(*unit.c), inputs.c); !c.is_zero()) term(c.exponent);
    return all;
}

bool exponents_within(const Unit& unit, const Inputs& inputs, int n) {
    const auto exponents = exponents_of(unit, inputs);
    return !exponents || exponents->most - exponents->least <= n;
}

ExponentsWithin exponents_within(Terms& t, const Unit& unit, const InputTerms& inputs, int n) {
    struct Exponent {
        Ranged value;
        Term zero;
    };
    std::vector<Exponent> all;
    for (std::size_t k = 0; k < inputs.a.size(); ++k) {
        const Number x = decode_term(t, format(unit.a), inputs.a[k]), y = decode_term(t, format(unit.b), inputs.b[k]);
        Exponent one{add(t, x.exponent, y.exponent), t.bvor(x.zero, y.zero)};
        if (unit.scale)
            for (const auto* row : {&inputs.sa, &inputs.sb}) {
                const Number s = decode_term(t, format(unit.scale->format), row->at(scale_of(unit, k)));
                one = {add(t, one.value, s.exponent), t.bvor(one.zero, s.zero)};
            }
        all.push_back(one);
    }
    if (unit.c) {
        const Number c = decode_term(t, format(*unit.c), *inputs.c);
        all.push_back({c.exponent, c.zero});
    }
    int low = all.front().value.low, high = all.front().value.high;
    for (const Exponent& e : all) low = std::min(low, e.value.low), high = std::max(high, e.value.high);
    const int width = bits_for(high - low + n) + 1;
    const Term largest = t.variable("largest", width);
    std::vector<Term> conditions;
    for (const Exponent& e : all) {
        const Term lsb = t.resize(above(t, e.value, low), width);
        const Term in =
            t.bvand(t.bvnot(t.bvult(largest, lsb)),
                    t.bvnot(t.bvult(t.bvadd(lsb, t.constant(width, static_cast<std::uint64_t>(n))), largest)));
        conditions.push_back(t.bvor(e.zero, in));
    }
    conditions.push_back(t.bvult(largest, t.constant(width, static_cast<std::uint64_t>(high - low + 1))));
    return {t.all_of(conditions), largest};
}

} // namespace discern::property
