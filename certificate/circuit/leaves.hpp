// The leaves: products, groups of products in fixed point, and the accumulator. docs/notation.md, "Product", "Group"
// and "Accumulator".
//
// A leaf, a sum and a rounding each return what the tree needs and, in Stages, the wires that an engineer would name,
// which exports print. Certificates do not use the names.
#pragma once

#include "read.hpp"
#include "specials.hpp"

#include "models/unit/tree_shape.hpp"

#include <cstddef>

namespace discern::circuit {

template <Domain D>
struct ProductStages {
    Number<D> a, b;
    Word<D> significands; ///< their product, without scales
    Number<D> exact;      ///< with scales, before limit and normalisation
    Bit<D> over;          ///< it reaches the limit
    Normalised<D> normal; ///< under norm=full
    Number<D> result;
};

template <Domain D>
struct GroupStages {
    std::vector<Bit<D>> negative;  ///< of each product
    std::vector<Word<D>> products; ///< their magnitudes in units of 2^lsb
    int lsb = 0;
    Word<D> total, magnitude; ///< the sum in two's complement, and its magnitude, without scales
    Number<D> result;
};

template <Domain D>
struct AccumulatorStages {
    Number<D> operand;
    Normalised<D> normal; ///< where it is read again in a wider format
    Number<D> result;
};

/// Makes the sign + where `those` holds.
template <Domain D>
void make_positive(D& d, Number<D>& x, Bit<D> those) {
    x.negative = d.bit_and(x.negative, d.bit_not(those));
    x.seen_minus = d.bit_and(x.seen_minus, d.bit_not(those));
    x.seen_plus = d.bit_or(x.seen_plus, those);
}

/// A subnormal operand becomes zero, of its own sign or +; perhaps every zero becomes +.
/// @param leaf  a Product or the Accumulator
template <Domain D, typename Leaf>
Number<D> flushed(D& d, const Format& f, Number<D> x, const Leaf& leaf) {
    if (leaf.ftz) {
        const Bit<D> hidden = msb(d, x.magnitude);
        const Bit<D> subnormal = f.has_subnormals()
                                     ? d.bit_and(d.any(d.slice(x.magnitude, 0, f.mantissa_bits)), d.bit_not(hidden))
                                     : d.zero();
        x.magnitude = d.mask(d.bit_not(subnormal), x.magnitude);
        if (!leaf.fsign_keep) make_positive(d, x, subnormal);
    }
    if (!leaf.zin_keep) make_positive(d, x, d.bit_not(d.any(x.magnitude)));
    return x;
}

/// A factor of a format in a wider one: shifted until it is normal there, or has that format's least exponent.
template <Domain D>
Number<D> read_again(D& d, const Format& f, const Format& as, const Number<D>& x) {
    if (as.emin() >= f.emin()) return x;
    const Bit<D> zero = d.bit_not(d.any(x.magnitude));
    const Integer<D> emin = integer(d, as.emin());
    Number<D> result = normalised(d, x).number;
    if (as.emin() > x.lsb) {
        const Integer<D> exponent = larger(d, result.base, emin);
        const Integer<D> back = difference(d, exponent, result.base, 0, as.emin() - x.lsb);
        result.magnitude = d.shift_right(result.magnitude, back.bits).word;
        result.base = exponent;
    }
    result.base = result.exponent = mux(d, zero, emin, result.base);
    return result;
}

/// A factor of a product: an infinity may be read as NaN, and a NaN as a zero of its sign.
template <Domain D>
Number<D> factor(D& d, const Format& f, const Word<D>& pattern, const Product& leaf) {
    Number<D> x = read(d, f, pattern);
    if (leaf.infnan) {
        x.special.nan = any_of(d, {x.special.nan, x.special.plus, x.special.minus});
        x.special.plus = x.special.minus = d.zero();
    }
    if (leaf.nanzero) {
        const Bit<D> other = d.bit_not(x.special.nan);
        x.magnitude = d.mask(other, x.magnitude);
        x.base = x.exponent = mux(d, other, x.base, integer(d, f.emin()));
        x.content.here = x.special.nan = d.zero();
    }
    x = flushed(d, f, std::move(x), leaf);
    return leaf.as ? read_again(d, f, format(*leaf.as), x) : x;
}

/// The scales of an element as numbers, both or the one that is asked for.
template <Domain D>
std::vector<Number<D>> scales(D& d, const Unit& unit, const Operands<D>& in, int k, Scaled which = Scaled::both) {
    const Format& f = format(unit.scale->format);
    const auto i = static_cast<std::size_t>(k / unit.scale->block);
    std::vector<Number<D>> numbers;
    if (multiplies(which, Scaled::a)) numbers.push_back(read(d, f, in.sa[i]));
    if (multiplies(which, Scaled::b)) numbers.push_back(read(d, f, in.sb[i]));
    return numbers;
}

/// The scales by which an element's product is multiplied; nothing without scales, and if those multiply what is
/// rounded.
template <Domain D>
std::vector<Number<D>> scales_of_product(D& d, const Unit& unit, const Operands<D>& in, int k) {
    if (!unit.scale || has_scaled_sums(unit.tree)) return {};
    return scales(d, unit, in, k);
}

/// A number times the scales; what it is special by is not touched.
template <Domain D>
void multiply_scales(D& d, const std::vector<Number<D>>& of_scales, Number<D>& x) {
    for (const Number<D>& s : of_scales) {
        x.magnitude = d.multiply(x.magnitude, s.magnitude);
        x.base = sum(d, x.base, s.base);
        x.fraction_bits += s.fraction_bits;
        x.lsb += s.lsb;
    }
}

/// A rounded number times the scales of an element, or one of them. What a NaN of it carries stays; that of a scale
/// carries nothing.
template <Domain D>
Number<D> scaled(D& d, const Unit& unit, const Operands<D>& in, Number<D> x, int k, Scaled by) {
    std::vector<Number<D>> of_scales = scales(d, unit, in, k, by);
    std::vector<const Number<D>*> factors = {&x};
    for (Number<D>& s : of_scales) {
        s.content.here = d.zero();
        factors.push_back(&s);
    }
    Number<D> product = x;
    multiply_specials(d, unit, factors, x.negative, product);
    multiply_scales(d, of_scales, product);
    product.exponent = product.base;
    return product;
}

/// Whether |value| ≥ 2^limit.
template <Domain D>
Bit<D> reaches(D& d, const Number<D>& x, int limit) {
    Bit<D> reached = d.zero();
    for (int i = 0; i < d.width(x.magnitude); ++i) {
        const Bit<D> high_enough = d.bit_not(less(d, offset_by(x.base, i - x.fraction_bits), integer(d, limit)));
        reached = d.bit_or(reached, d.bit_and(d.bit(x.magnitude, i), high_enough));
    }
    return reached;
}

/// The product as its parent reads it, by its Normalisation.
template <Domain D>
void normalise_product(D& d, Normalisation how, ProductStages<D>& stages) {
    Number<D>& x = stages.result;
    const Bit<D> zero = d.bit_not(d.any(x.magnitude));
    const int above = d.width(x.magnitude) - x.fraction_bits - 1; // bits from 2 on
    if (how == Normalisation::carry)
        x.exponent = plus(d, x.exponent, d.any(d.slice(x.magnitude, x.fraction_bits + 1, above)));
    if (how == Normalisation::full) {
        NormalisedNumber<D> normal = normalised(d, x);
        normal.number.exponent = mux(d, zero, x.exponent, normal.number.base);
        x = std::move(normal.number);
        stages.normal = std::move(normal.significand);
    }
}

/// An exact product.
/// @param k  the element's index in the unit
template <Domain D>
ProductStages<D> product(D& d, const Unit& unit, const Operands<D>& in, const Product& leaf, int k) {
    const Format &fa = format(unit.a), &fb = format(unit.b);
    const auto at = static_cast<std::size_t>(k);
    Number<D> a = factor(d, fa, in.a[at], leaf);
    Number<D> b = factor(d, fb, in.b[at], leaf);

    Number<D> x(d);
    x.negative = d.bit_xor(a.negative, b.negative);
    x.magnitude = d.multiply(a.magnitude, b.magnitude);
    Word<D> significands = x.magnitude;
    x.base = sum(d, a.base, b.base);
    x.fraction_bits = a.fraction_bits + b.fraction_bits;
    x.lsb = a.lsb + b.lsb;
    const std::vector<Number<D>> of_scales = scales_of_product(d, unit, in, k);
    multiply_scales(d, of_scales, x);
    x.exponent = x.base;
    x.seen_minus = x.negative;
    x.seen_plus = d.bit_not(x.negative);
    std::vector<const Number<D>*> factors = {&a, &b};
    for (const Number<D>& s : of_scales) factors.push_back(&s);
    multiply_specials(d, unit, factors, x.negative, x, leaf.infzero);

    ProductStages<D> stages{std::move(a), std::move(b), std::move(significands), x, d.zero(), {}, std::move(x)};
    Number<D>& result = stages.result;
    if (leaf.limit) {
        // A NaN or an infinity from the inputs takes precedence over it.
        stages.over = reaches(d, result, *leaf.limit);
        const Bit<D> plus = d.bit_and(stages.over, d.bit_not(result.negative)),
                     minus = d.bit_and(stages.over, result.negative);
        if (leaf.oinf_yields) {
            result.special.tentative_plus = plus;
            result.special.tentative_minus = minus;
        } else {
            result.special.plus = d.bit_or(result.special.plus, plus);
            result.special.minus = d.bit_or(result.special.minus, minus);
        }
    }
    normalise_product(d, leaf.normalisation, stages);
    return stages;
}

/// A group of products, added exactly in fixed point, and then scaled.
/// @param first  index of the group's first element in the unit
template <Domain D>
GroupStages<D> group(D& d, const Unit& unit, const Operands<D>& in, const Group& leaf, int first) {
    const Format &fa = format(unit.a), &fb = format(unit.b);
    const std::vector<Number<D>> of_scales = scales_of_product(d, unit, in, first);
    GroupStages<D> stages{{}, {}, fa.lsb() + fb.lsb(), {}, {}, Number<D>(d)};

    // The magnitudes of the products as multiples of the smallest one.
    std::vector<Number<D>> products;
    int width = 0;
    for (int l = 0; l < leaf.size; ++l) {
        const auto k = static_cast<std::size_t>(first + l);
        const Number<D> a = read(d, fa, in.a[k]), b = read(d, fb, in.b[k]);
        Number<D> x(d);
        x.negative = d.bit_xor(a.negative, b.negative);
        const Integer<D> above = sum(d, a.exponent, b.exponent);
        const int emin = fa.emin() + fb.emin();
        const Integer<D> shift = difference(d, above, integer(d, emin), 0, above.high - emin);
        stages.products.push_back(d.shift_left(d.multiply(a.magnitude, b.magnitude), shift.bits));
        width = d.width(stages.products.back());
        std::vector<const Number<D>*> factors = {&a, &b};
        for (const Number<D>& s : of_scales) factors.push_back(&s);
        multiply_specials(d, unit, factors, x.negative, x);
        products.push_back(std::move(x));
    }
    for (int terms = 1; terms < leaf.size; terms *= 2) ++width;
    ++width; // the sign

    Number<D>& sum = stages.result;
    Total<D> total = d.total(width);
    Bit<D> cancelled = d.zero();
    std::vector<const Number<D>*> pointers;
    for (std::size_t l = 0; l < products.size(); ++l) {
        const Bit<D> negative = products[l].negative;
        d.add_signed(total, stages.products[l], negative, 0);
        sum.seen_plus = d.bit_or(sum.seen_plus, d.bit_not(negative));
        sum.seen_minus = d.bit_or(sum.seen_minus, negative);
        cancelled = d.bit_or(cancelled, d.any(stages.products[l]));
        pointers.push_back(&products[l]);
        stages.negative.push_back(negative);
    }
    combine_specials(d, pointers, sum);
    stages.total = d.word(total);
    sum.negative = msb(d, stages.total);
    sum.magnitude = stages.magnitude = d.resize(d.negate_if(sum.negative, stages.total), width - 1);
    sum.fraction_bits = -stages.lsb;
    sum.lsb = stages.lsb;
    multiply_scales(d, of_scales, sum);
    sum.exponent = sum.base;
    Bit<D> empty = d.bit_not(cancelled); // no product, or a scale, is other than zero
    for (const Number<D>& s : of_scales) empty = d.bit_or(empty, d.bit_not(d.any(s.magnitude)));
    if (leaf.empty.kind == ZeroExponent::Kind::ignore) sum.has_exponent = d.bit_not(empty);
    if (leaf.empty.kind == ZeroExponent::Kind::constant)
        sum.exponent = mux(d, empty, integer(d, leaf.empty.value), sum.exponent);
    // A sum that is zero, if only by its scales, has the sign of its products.
    const Bit<D> nonzero = d.any(sum.magnitude);
    sum.seen_plus = d.mux(nonzero, d.bit_not(sum.negative), d.bit_or(sum.seen_plus, cancelled));
    sum.seen_minus = d.mux(nonzero, sum.negative, d.bit_or(sum.seen_minus, cancelled));
    return stages;
}

/// The accumulator.
/// @param f  the format of the pattern: c's in the first block, then d's
template <Domain D>
AccumulatorStages<D> accumulator(D& d, const Format& f, const Word<D>& pattern, const Accumulator& leaf) {
    Number<D> x = flushed(d, f, read(d, f, pattern), leaf);
    AccumulatorStages<D> stages{x, {}, std::move(x)};
    if (!leaf.as) return stages;
    // Read again in a wider format: a number that is subnormal there keeps the exponent of the smallest normal one.
    const Integer<D> emin = integer(d, format(*leaf.as).emin());
    const Bit<D> zero = d.bit_not(d.any(stages.operand.magnitude));
    NormalisedNumber<D> normal = normalised(d, stages.operand);
    stages.result = std::move(normal.number);
    stages.normal = std::move(normal.significand);
    stages.result.exponent = mux(d, zero, emin, larger(d, stages.result.base, emin));
    return stages;
}

} // namespace discern::circuit
