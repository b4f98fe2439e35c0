// Operands and leaves: patterns, products, groups of products and the accumulator.
#include "number.hpp"

#include "models/format.hpp"

#include <cstddef>

namespace discern::certificate {

namespace {

/// The parts of a pattern.
struct Fields {
    Literal sign;
    Bits mantissa, exponent;
};

Fields fields(const Format& f, const Bits& pattern) {
    return {f.is_signed ? pattern.back() : no, part(pattern, f.padding_bits, f.mantissa_bits),
            part(pattern, f.padding_bits + f.mantissa_bits, f.exponent_bits)};
}

/// From now on a + where `those` holds.
void make_positive(Netlist& n, Number& x, Literal those) {
    x.negative = n.both(x.negative, opposite(those));
    x.seen_minus = n.both(x.seen_minus, opposite(those));
    x.seen_plus = n.either(x.seen_plus, those);
}

/// A subnormal operand becomes zero, of its own sign or +; perhaps every zero becomes +.
/// @param leaf  a Product or the Accumulator
template <typename Leaf>
Number flushed(Netlist& n, const Format& f, Number x, const Leaf& leaf) {
    if (leaf.flush) {
        const Literal hidden = x.magnitude.back();
        const Literal subnormal =
            f.has_subnormals() ? n.both(any(n, part(x.magnitude, 0, f.mantissa_bits)), opposite(hidden)) : no;
        x.magnitude = only_if(n, opposite(subnormal), x.magnitude);
        if (!leaf.flush_keeps_sign) make_positive(n, x, subnormal);
    }
    if (!leaf.zero_keeps_sign) make_positive(n, x, opposite(any(n, x.magnitude)));
    return x;
}

/// A factor of a product: an infinity may be read as NaN, and a NaN as a zero of its sign.
Number factor(Netlist& n, const Format& f, const Bits& pattern, const Product& leaf) {
    Number x = read(n, f, pattern);
    if (leaf.infinity_is_nan) {
        x.special.nan = any(n, {x.special.nan, x.special.plus, x.special.minus});
        x.special.plus = x.special.minus = no;
    }
    if (leaf.nan_is_zero) {
        const Literal other = opposite(x.special.nan);
        x.magnitude = only_if(n, other, x.magnitude);
        x.base = x.exponent = choose(n, other, x.base, integer(f.emin()));
        x.content.here = x.special.nan = no;
    }
    return flushed(n, f, x, leaf);
}

/// The scales of an element as numbers; nothing without scales.
std::vector<Number> scales(Netlist& n, const Unit& unit, const Operands& in, int k) {
    if (!unit.scale) return {};
    const Format& f = format(unit.scale->format);
    const auto i = static_cast<std::size_t>(k / unit.scale->block);
    return {read(n, f, in.sa[i]), read(n, f, in.sb[i])};
}

/// The special value of a product of factors; only a and b, the first two, have something to carry.
/// @param beats_zero  infinity times zero is infinite
void multiply_specials(Netlist& n, const std::vector<const Number*>& factors, Literal negative, Number& product,
                       bool beats_zero = false) {
    Literal nan = no, infinite = no, zero = no;
    for (const Number* x : factors) {
        nan = n.either(nan, x->special.nan);
        infinite = n.either(infinite, n.either(x->special.plus, x->special.minus));
        zero = n.either(zero, opposite(any(n, x->magnitude))); // an infinity has a hidden bit
    }
    if (!beats_zero) nan = n.either(nan, n.both(infinite, zero));
    product.special.nan = nan;
    product.special.plus = n.both(infinite, opposite(negative));
    product.special.minus = n.both(infinite, negative);
    const Number::Content &a = factors[0]->content, &b = factors[1]->content;
    product.content.here = n.either(a.here, b.here);
    product.content.negative = n.choice(a.here, a.negative, b.negative);
    product.content.payload = choose(n, a.here, a.payload, b.payload);
}

/// |value| ≥ 2^limit.
Literal reaches(Netlist& n, const Number& x, int limit) {
    Literal reached = no;
    for (int i = 0; i < width(x.magnitude); ++i) {
        const Literal high_enough = opposite(less(n, moved(x.base, i - x.places), integer(limit)));
        reached = n.either(reached, n.both(x.magnitude[static_cast<std::size_t>(i)], high_enough));
    }
    return reached;
}

/// The same number with its highest bit set, and therefore floor(log2 |value|) as base, if it is not zero.
Number with_highest_bit(Netlist& n, Number x) {
    const Normalised normal = normalise(n, x.magnitude);
    const int above = width(x.magnitude) - 1;
    x.base = difference(n, moved(x.base, above - x.places), integer(normal.count, 0), x.base.low - x.places,
                        x.base.high + above - x.places);
    x.magnitude = normal.word;
    x.places = above;
    return x;
}

void normalise_product(Netlist& n, Normalisation how, Number& x) {
    const Literal zero = opposite(any(n, x.magnitude));
    if (how == Normalisation::carry)
        x.exponent = plus(n, x.exponent, any(n, part(x.magnitude, x.places + 1, width(x.magnitude) - x.places - 1)));
    if (how == Normalisation::full) {
        Number normal = with_highest_bit(n, x);
        normal.exponent = choose(n, zero, x.exponent, normal.base);
        x = normal;
    }
}

} // namespace

Literal is_nan(Netlist& n, const Format& f, const Bits& pattern) {
    const Fields x = fields(f, pattern);
    switch (f.specials) {
    case Specials::ieee: {
        const Literal some_mantissa = any(n, x.mantissa);
        const Literal full_exponent = all(n, x.exponent);
        return n.both(full_exponent, some_mantissa);
    }
    case Specials::all_ones: {
        const Literal full_mantissa = all(n, x.mantissa);
        const Literal full_exponent = all(n, x.exponent);
        return n.both(full_exponent, full_mantissa);
    }
    case Specials::fnuz: {
        const Literal some_mantissa = any(n, x.mantissa);
        const Literal some_exponent = any(n, x.exponent);
        return n.both(x.sign, opposite(n.either(some_exponent, some_mantissa)));
    }
    case Specials::none:
    case Specials::fixed: break;
    }
    return no;
}

Literal is_infinite(Netlist& n, const Format& f, const Bits& pattern) {
    const Fields x = fields(f, pattern);
    if (f.specials != Specials::ieee) return no;
    const Literal some_mantissa = any(n, x.mantissa);
    const Literal full_exponent = all(n, x.exponent);
    return n.both(full_exponent, opposite(some_mantissa));
}

namespace {

/// Two's complement. All numbers have one exponent.
Number read_fixed_point(Netlist& n, const Format& f, const Bits& pattern) {
    Number x;
    x.negative = x.seen_minus = pattern.back();
    x.seen_plus = opposite(x.negative);
    x.magnitude = increment(n, reversed_if(n, x.negative, pattern), x.negative);
    x.base = x.exponent = integer(f.emin());
    x.places = f.mantissa_bits;
    x.last = f.last_place();
    return x;
}

} // namespace

Number read(Netlist& n, const Format& f, const Bits& pattern) {
    if (f.is_fixed_point()) return read_fixed_point(n, f, pattern);
    const Fields in = fields(f, pattern);
    Number x;
    x.negative = in.sign;
    x.seen_plus = opposite(in.sign);
    x.seen_minus = in.sign;

    // A subnormal has the exponent of the smallest normal number, and no hidden bit.
    const Literal hidden = f.has_zero ? any(n, in.exponent) : yes;
    Bits field = in.exponent;
    field[0] = n.either(field[0], opposite(hidden));
    x.magnitude = in.mantissa;
    x.magnitude.push_back(hidden);
    x.base = x.exponent = integer(field, -f.bias);
    x.places = f.mantissa_bits;
    x.last = f.last_place();

    const Literal infinite = is_infinite(n, f, pattern);
    x.special.nan = is_nan(n, f, pattern);
    x.special.plus = n.both(infinite, opposite(in.sign));
    x.special.minus = n.both(infinite, in.sign);
    x.content.here = x.special.nan;
    x.content.negative = in.sign;
    x.content.payload = part(in.mantissa, f.mantissa_bits - content_bits, content_bits);
    return x;
}

Number product(Netlist& n, const Unit& unit, const Operands& in, const Product& leaf, int k) {
    const Format &fa = format(unit.a), &fb = format(unit.b);
    const auto at = static_cast<std::size_t>(k);
    const Number a = factor(n, fa, in.a[at], leaf);
    const Number b = factor(n, fb, in.b[at], leaf);

    Number x;
    x.negative = n.different(a.negative, b.negative);
    x.magnitude = multiply(n, a.magnitude, b.magnitude);
    x.base = sum(n, a.base, b.base);
    x.places = a.places + b.places;
    x.last = a.last + b.last;
    std::vector<const Number*> factors = {&a, &b};
    const std::vector<Number> of_scales = scales(n, unit, in, k);
    for (const Number& s : of_scales) {
        x.magnitude = multiply(n, x.magnitude, s.magnitude);
        x.base = sum(n, x.base, s.base);
        x.places += s.places;
        x.last += s.last;
        factors.push_back(&s);
    }
    x.exponent = x.base;
    x.seen_minus = x.negative;
    x.seen_plus = opposite(x.negative);
    multiply_specials(n, factors, x.negative, x, leaf.infinity_beats_zero);

    if (leaf.limit) {
        // Beside a NaN or an infinity from the inputs it does not count.
        const Literal over = reaches(n, x, *leaf.limit);
        const Literal plus = n.both(over, opposite(x.negative)), minus = n.both(over, x.negative);
        if (leaf.limit_yields) {
            x.special.soft_plus = plus;
            x.special.soft_minus = minus;
        } else {
            x.special.plus = n.either(x.special.plus, plus);
            x.special.minus = n.either(x.special.minus, minus);
        }
    }
    normalise_product(n, leaf.normalisation, x);
    return x;
}

Number group(Netlist& n, const Unit& unit, const Operands& in, const Group& leaf, int first) {
    const Format &fa = format(unit.a), &fb = format(unit.b);
    const std::vector<Number> of_scales = scales(n, unit, in, first);
    int lowest = fa.last_place() + fb.last_place();

    // The products as multiples of the smallest one, in two's complement.
    std::vector<Number> products;
    std::vector<Bits> integers;
    int places = 0;
    for (int l = 0; l < leaf.size; ++l) {
        const auto k = static_cast<std::size_t>(first + l);
        const Number a = read(n, fa, in.a[k]), b = read(n, fb, in.b[k]);
        Number x;
        x.negative = n.different(a.negative, b.negative);
        const Integer above = sum(n, a.exponent, b.exponent);
        const Integer shift =
            difference(n, above, integer(fa.emin() + fb.emin()), 0, above.high - fa.emin() - fb.emin());
        integers.push_back(shift_left(n, multiply(n, a.magnitude, b.magnitude), shift.bits));
        places = width(integers.back());
        std::vector<const Number*> factors = {&a, &b};
        for (const Number& s : of_scales) factors.push_back(&s);
        multiply_specials(n, factors, x.negative, x);
        products.push_back(std::move(x));
    }
    for (int terms = 1; terms < leaf.size; terms *= 2) ++places;
    ++places; // the sign

    Number sum;
    Bits total = constant(0, places);
    Literal cancelled = no;
    std::vector<const Number*> pointers;
    for (std::size_t l = 0; l < products.size(); ++l) {
        const Literal negative = products[l].negative;
        total = add(n, total, reversed_if(n, negative, resized(integers[l], places)), negative);
        sum.seen_plus = n.either(sum.seen_plus, opposite(negative));
        sum.seen_minus = n.either(sum.seen_minus, negative);
        cancelled = n.either(cancelled, any(n, integers[l]));
        pointers.push_back(&products[l]);
    }
    combine_specials(n, pointers, sum);
    sum.negative = total.back();
    sum.magnitude = resized(increment(n, reversed_if(n, sum.negative, total), sum.negative), places - 1);
    sum.base = integer(0);
    sum.places = -lowest;
    for (const Number& s : of_scales) {
        sum.magnitude = multiply(n, sum.magnitude, s.magnitude);
        sum.base = certificate::sum(n, sum.base, s.base);
        sum.places += s.places;
        lowest += s.last;
    }
    sum.exponent = sum.base;
    sum.last = lowest;
    Literal empty = opposite(cancelled); // no product, or a scale, is other than zero
    for (const Number& s : of_scales) empty = n.either(empty, opposite(any(n, s.magnitude)));
    if (leaf.empty.kind == ZeroExponent::Kind::ignore) sum.has_exponent = opposite(empty);
    if (leaf.empty.kind == ZeroExponent::Kind::constant)
        sum.exponent = choose(n, empty, integer(leaf.empty.value), sum.exponent);
    // A sum that is zero, if only by its scales, has the sign of its products.
    const Literal nonzero = any(n, sum.magnitude);
    sum.seen_plus = n.choice(nonzero, opposite(sum.negative), n.either(sum.seen_plus, cancelled));
    sum.seen_minus = n.choice(nonzero, sum.negative, n.either(sum.seen_minus, cancelled));
    return sum;
}

Number accumulator(Netlist& n, const Format& f, const Bits& pattern, const Accumulator& leaf) {
    Number x = flushed(n, f, read(n, f, pattern), leaf);
    if (!leaf.as) return x;
    // Read again in a wider format: a number that is subnormal there keeps the exponent of the smallest normal one.
    const Integer emin = integer(format(*leaf.as).emin());
    const Literal zero = opposite(any(n, x.magnitude));
    x = with_highest_bit(n, x);
    x.exponent = choose(n, zero, emin, larger(n, x.base, emin));
    return x;
}

} // namespace discern::certificate
