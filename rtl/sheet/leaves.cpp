// Operands and leaves: patterns, products, groups of products and the accumulator. As certificate/leaves.cpp.
#include "number.hpp"

#include "models/format.hpp"

#include <cstddef>

namespace discern::rtl {

namespace {

/// The parts of a pattern.
struct Fields {
    Term sign, mantissa, exponent; ///< a mantissa without bits is one of 0
};

Fields fields(Sheet& s, const Format& f, Term pattern) {
    const Term sign = f.is_signed ? s.t.bit(pattern, f.width - 1) : s.no();
    const Term mantissa = f.mantissa_bits == 0 ? s.no() : s.part(pattern, f.padding_bits, f.mantissa_bits);
    return {sign, mantissa, s.part(pattern, f.padding_bits + f.mantissa_bits, f.exponent_bits)};
}

/// The highest bit of a magnitude, which is the hidden one.
Term hidden_bit(Sheet& s, const Number& x) { return s.t.bit(x.magnitude, s.t.width(x.magnitude) - 1); }

/// From now on a + where `those` holds.
void make_positive(Sheet& s, Number& x, Term those) {
    x.negative = s.both(x.negative, s.opposite(those));
    x.seen_minus = s.both(x.seen_minus, s.opposite(those));
    x.seen_plus = s.either(x.seen_plus, those);
}

/// A subnormal operand becomes zero, of its own sign or +; perhaps every zero becomes +.
template <typename Leaf>
Number flushed(Sheet& s, const Format& f, Number x, const Leaf& leaf) {
    if (leaf.flush) {
        const Term hidden = hidden_bit(s, x);
        const Term subnormal = f.has_subnormals() && f.mantissa_bits > 0
                                   ? s.both(s.any(s.part(x.magnitude, 0, f.mantissa_bits)), s.opposite(hidden))
                                   : s.no();
        x.magnitude = s.only_if(s.opposite(subnormal), x.magnitude);
        if (!leaf.flush_keeps_sign) make_positive(s, x, subnormal);
    }
    if (!leaf.zero_keeps_sign) make_positive(s, x, s.opposite(s.any(x.magnitude)));
    return x;
}

/// A factor of a product: an infinity may be read as NaN, and a NaN as a zero of its sign.
Number factor(Sheet& s, const Format& f, Term pattern, const Product& leaf) {
    Number x = read(s, f, pattern);
    if (leaf.infinity_is_nan) {
        x.special.nan = s.either(x.special.nan, s.either(x.special.plus, x.special.minus));
        x.special.plus = x.special.minus = x.infinite = s.no();
    }
    if (leaf.nan_is_zero) {
        const Term other = s.opposite(x.special.nan);
        x.magnitude = s.only_if(other, x.magnitude);
        x.base = x.exponent = s.choose(other, x.base, s.integer(f.emin()));
        x.content.here = x.special.nan = s.no();
    }
    return flushed(s, f, x, leaf);
}

/// The scales of an element as numbers; nothing without scales.
std::vector<Number> scales(Sheet& s, const Unit& unit, const InputTerms& in, int k) {
    if (!unit.scale) return {};
    const Format& f = format(unit.scale->format);
    const auto i = static_cast<std::size_t>(k / unit.scale->block);
    return {read(s, f, in.sa[i]), read(s, f, in.sb[i])};
}

/// The special value of a product of factors; only a and b, the first two, have something to carry.
void multiply_specials(Sheet& s, const std::vector<const Number*>& factors, Term negative, Number& product,
                       bool beats_zero = false) {
    Term nan = s.no(), infinity = s.no(), zero = s.no();
    for (const Number* x : factors) {
        nan = s.either(nan, x->special.nan);
        infinity = s.either(infinity, x->infinite);
        zero = s.either(zero, s.opposite(s.any(x->magnitude))); // an infinity has a hidden bit
    }
    if (!beats_zero) nan = s.either(nan, s.both(infinity, zero));
    product.special.nan = nan;
    product.special.plus = s.both(infinity, s.opposite(negative));
    product.special.minus = s.both(infinity, negative);
    const Number::Content &a = factors[0]->content, &b = factors[1]->content;
    product.content.here = s.either(a.here, b.here);
    product.content.negative = s.choose(a.here, a.negative, b.negative);
    product.content.payload = s.choose(a.here, a.payload, b.payload);
}

/// |value| ≥ 2^limit.
Term reaches(Sheet& s, const Number& x, int limit) {
    Term reached = s.no();
    for (int i = 0; i < s.t.width(x.magnitude); ++i) {
        const Term high_enough = s.opposite(s.less(Sheet::moved(x.base, i - x.places), s.integer(limit)));
        reached = s.either(reached, s.both(s.t.bit(x.magnitude, i), high_enough));
    }
    return reached;
}

/// The same number with its highest bit set, and therefore floor(log2 |value|) as base, if it is not zero.
Number with_highest_bit(Sheet& s, const std::string& name, Number x) {
    const Sheet::Normalised normal = s.normalise(name, x.magnitude);
    const int above = s.t.width(x.magnitude) - 1;
    x.base = s.difference(Sheet::moved(x.base, above - x.places), Sheet::integer(s.t, normal.count, 0),
                          x.base.low - x.places, x.base.high + above - x.places);
    x.magnitude = normal.word;
    x.places = above;
    return x;
}

Term product_of(Sheet& s, Term x, Term y) {
    const int width = s.t.width(x) + s.t.width(y);
    return s.t.bvmul(s.resized(x, width), s.resized(y, width));
}

void normalise_product(Sheet& s, Normalisation how, Number& x) {
    const Term zero = s.opposite(s.any(x.magnitude));
    const int above = s.t.width(x.magnitude) - x.places - 1;
    if (how == Normalisation::carry && above > 0)
        x.exponent = s.plus(x.exponent, s.any(s.part(x.magnitude, x.places + 1, above)));
    if (how == Normalisation::carry && above <= 0) x.exponent = s.plus(x.exponent, s.no());
    if (how == Normalisation::full) {
        Number normal = with_highest_bit(s, "normal", x);
        normal.exponent = s.choose(zero, x.exponent, normal.base);
        x = normal;
    }
}

/// Two's complement. All numbers have one exponent.
Number read_fixed_point(Sheet& s, const Format& f, Term pattern) {
    Number x(s);
    x.negative = x.seen_minus = s.t.bit(pattern, f.width - 1);
    x.seen_plus = s.opposite(x.negative);
    x.magnitude = s.increment(s.reversed_if(x.negative, pattern), x.negative);
    x.base = x.exponent = s.integer(f.emin());
    x.places = f.mantissa_bits;
    x.last = f.last_place();
    return x;
}

} // namespace

Number::Number(Sheet& s)
    : negative(s.no()), magnitude(s.no()), base(s.integer(0)), exponent(s.integer(0)), has_exponent(s.yes()),
      seen_plus(s.no()), seen_minus(s.no()), special{s.no(), s.no(), s.no(), s.no(), s.no(), s.no()},
      infinite(s.no()), content{s.no(), s.no(), s.constant(0, content_bits)} {}

Term nan_of(Sheet& s, const Format& f, Term pattern) {
    const Fields x = fields(s, f, pattern);
    const Term mantissa_is_full = f.mantissa_bits == 0 ? s.yes() : s.all(x.mantissa);
    switch (f.specials) {
    case Specials::ieee: {
        const Term some_mantissa = s.any(x.mantissa);
        const Term full_exponent = s.all(x.exponent);
        return s.both(full_exponent, some_mantissa);
    }
    case Specials::all_ones: return s.both(s.all(x.exponent), mantissa_is_full);
    case Specials::fnuz: {
        const Term some_mantissa = s.any(x.mantissa);
        const Term some_exponent = s.any(x.exponent);
        return s.both(x.sign, s.opposite(s.either(some_exponent, some_mantissa)));
    }
    case Specials::none:
    case Specials::fixed: break;
    }
    return s.no();
}

Term infinite(Sheet& s, const Format& f, Term pattern) {
    const Fields x = fields(s, f, pattern);
    if (f.specials != Specials::ieee) return s.no();
    const Term some_mantissa = s.any(x.mantissa);
    const Term full_exponent = s.all(x.exponent);
    return s.both(full_exponent, s.opposite(some_mantissa));
}

Number read(Sheet& s, const Format& f, Term pattern) {
    if (f.is_fixed_point()) return read_fixed_point(s, f, pattern);
    const Fields in = fields(s, f, pattern);
    Number x(s);
    x.negative = in.sign;
    x.seen_plus = s.opposite(in.sign);
    x.seen_minus = in.sign;

    // A subnormal has the exponent of the smallest normal number, and no hidden bit.
    const Term hidden = f.has_zero ? s.any(in.exponent) : s.yes();
    const Term field = s.either(in.exponent, s.resized(s.opposite(hidden), f.exponent_bits));
    x.magnitude = f.mantissa_bits == 0 ? hidden : s.t.concat(hidden, in.mantissa);
    x.base = x.exponent = Sheet::integer(s.t, field, -f.bias);
    x.places = f.mantissa_bits;
    x.last = f.last_place();

    const Term is_infinite = x.infinite = infinite(s, f, pattern);
    x.special.nan = nan_of(s, f, pattern);
    x.special.plus = s.both(is_infinite, s.opposite(in.sign));
    x.special.minus = s.both(is_infinite, in.sign);
    if (!s.keeps_nan) return x;
    x.content.here = x.special.nan;
    x.content.negative = in.sign;
    if (f.mantissa_bits > 0) x.content.payload = s.part(in.mantissa, f.mantissa_bits - content_bits, content_bits);
    return x;
}

Number product(Sheet& s, const Unit& unit, const InputTerms& in, const Product& leaf, int k) {
    const Format &fa = format(unit.a), &fb = format(unit.b);
    const auto at = static_cast<std::size_t>(k);
    const Number a = factor(s, fa, in.a[at], leaf);
    const Number b = factor(s, fb, in.b[at], leaf);
    s.wire("a_significand", a.magnitude);
    s.wire("b_significand", b.magnitude);

    Number x(s);
    x.negative = s.wire("negative", s.t.bvxor(a.negative, b.negative));
    x.magnitude = s.wire("magnitude", product_of(s, a.magnitude, b.magnitude));
    x.base = s.sum(a.base, b.base);
    x.places = a.places + b.places;
    x.last = a.last + b.last;
    std::vector<const Number*> factors = {&a, &b};
    const std::vector<Number> of_scales = scales(s, unit, in, k);
    for (const Number& scale : of_scales) {
        x.magnitude = product_of(s, x.magnitude, scale.magnitude);
        x.base = s.sum(x.base, scale.base);
        x.places += scale.places;
        x.last += scale.last;
        factors.push_back(&scale);
    }
    s.wire("exponent", x.base.bits, "above " + std::to_string(x.base.low));
    x.exponent = x.base;
    x.seen_minus = x.negative;
    x.seen_plus = s.opposite(x.negative);
    multiply_specials(s, factors, x.negative, x, leaf.infinity_beats_zero);
    s.wire("nan", x.special.nan);
    s.wire("plus_infinity", x.special.plus);
    s.wire("minus_infinity", x.special.minus);

    if (leaf.limit) { // beside a NaN or an infinity from the inputs it does not count
        const Term over = s.wire("over", reaches(s, x, *leaf.limit), "the product reaches its limit");
        const Term plus = s.both(over, s.opposite(x.negative)), minus = s.both(over, x.negative);
        if (leaf.limit_yields) {
            x.special.soft_plus = plus;
            x.special.soft_minus = minus;
        } else {
            x.special.plus = s.either(x.special.plus, plus);
            x.special.minus = s.either(x.special.minus, minus);
        }
    }
    normalise_product(s, leaf.normalisation, x);
    return x;
}

Number group(Sheet& s, const Unit& unit, const InputTerms& in, const Group& leaf, int first) {
    const Format &fa = format(unit.a), &fb = format(unit.b);
    const std::vector<Number> of_scales = scales(s, unit, in, first);
    int lowest = fa.last_place() + fb.last_place();

    // The products as multiples of the smallest one, in two's complement.
    std::vector<Number> products;
    std::vector<Term> integers;
    int places = 0;
    for (int l = 0; l < leaf.size; ++l) {
        const auto k = static_cast<std::size_t>(first + l);
        const Number a = read(s, fa, in.a[k]), b = read(s, fb, in.b[k]);
        Number x(s);
        x.negative = s.wire("negative" + std::to_string(l), s.t.bvxor(a.negative, b.negative));
        const Sheet::Integer above = s.sum(a.exponent, b.exponent);
        const Sheet::Integer shift =
            s.difference(above, s.integer(fa.emin() + fb.emin()), 0, above.high - fa.emin() - fb.emin());
        integers.push_back(s.wire("product" + std::to_string(l),
                                  s.shift_left(product_of(s, a.magnitude, b.magnitude), shift.bits),
                                  "in units of 2^" + std::to_string(lowest)));
        places = s.t.width(integers.back());
        std::vector<const Number*> factors = {&a, &b};
        for (const Number& scale : of_scales) factors.push_back(&scale);
        multiply_specials(s, factors, x.negative, x);
        products.push_back(std::move(x));
    }
    for (int terms = 1; terms < leaf.size; terms *= 2) ++places;
    ++places; // the sign

    Number sum(s);
    Term cancelled = s.no();
    std::vector<Term> values;
    std::vector<const Number*> pointers;
    for (std::size_t l = 0; l < products.size(); ++l) {
        const Term negative = products[l].negative;
        const Term value = s.resized(integers[l], places);
        values.push_back(s.choose(negative, s.t.bvneg(value), value));
        sum.seen_plus = s.either(sum.seen_plus, s.opposite(negative));
        sum.seen_minus = s.either(sum.seen_minus, negative);
        cancelled = s.either(cancelled, s.any(integers[l]));
        pointers.push_back(&products[l]);
    }
    combine_specials(s, pointers, sum);
    const Term total = s.wire("sum", values.size() == 1 ? values.front() : s.t.bvadd(values), "two's complement");
    sum.negative = s.t.bit(total, places - 1);
    sum.magnitude = s.wire("magnitude", s.resized(s.choose(sum.negative, s.t.bvneg(total), total), places - 1));
    sum.base = s.integer(0);
    sum.places = -lowest;
    for (const Number& scale : of_scales) {
        sum.magnitude = product_of(s, sum.magnitude, scale.magnitude);
        sum.base = s.sum(sum.base, scale.base);
        sum.places += scale.places;
        lowest += scale.last;
    }
    sum.exponent = sum.base;
    sum.last = lowest;
    Term empty = s.opposite(cancelled); // no product, or a scale, is other than zero
    for (const Number& scale : of_scales) empty = s.either(empty, s.opposite(s.any(scale.magnitude)));
    if (leaf.empty.kind == ZeroExponent::Kind::ignore) sum.has_exponent = s.opposite(empty);
    if (leaf.empty.kind == ZeroExponent::Kind::constant)
        sum.exponent = s.choose(empty, s.integer(leaf.empty.value), sum.exponent);
    // A sum that is zero, if only by its scales, has the sign of its products.
    const Term nonzero = s.any(sum.magnitude);
    sum.seen_plus = s.choose(nonzero, s.opposite(sum.negative), s.either(sum.seen_plus, cancelled));
    sum.seen_minus = s.choose(nonzero, sum.negative, s.either(sum.seen_minus, cancelled));
    return sum;
}

Number accumulator(Sheet& s, const Format& f, Term pattern, const Accumulator& leaf) {
    Number x = flushed(s, f, read(s, f, pattern), leaf);
    s.wire("significand", x.magnitude);
    s.wire("exponent", x.base.bits, "above " + std::to_string(x.base.low));
    if (!leaf.as) return x;
    // Read again in a wider format: a number that is subnormal there keeps the exponent of the smallest normal one.
    const Sheet::Integer emin = s.integer(format(*leaf.as).emin());
    const Term zero = s.opposite(s.any(x.magnitude));
    x = with_highest_bit(s, "normal", x);
    x.exponent = s.choose(zero, emin, s.larger(x.base, emin));
    return x;
}

} // namespace discern::rtl
