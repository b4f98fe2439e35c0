// Products, groups and the accumulator. The significands are multiplied, the exponents added; nothing is rounded.
#include "leaves.hpp"

#include "special.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace discern {

namespace {

// Reads a subnormal as zero: its hidden bit is 0.
Number flushed(Terms& t, Number n, bool keep_sign) {
    const Term hidden = t.bit(n.magnitude, t.width(n.magnitude) - 1);
    const Term subnormal = t.bvand(t.bvnot(hidden), t.bvnot(n.zero));
    n.magnitude = t.ite(hidden, n.magnitude, t.constant(t.width(n.magnitude), 0));
    n.zero = t.bvor(n.zero, subnormal);
    if (!keep_sign) n.zero_negative = t.bvand(n.zero_negative, t.bvnot(subnormal));
    return n;
}

// What is common to products with and without normalisation: everything but the choice of the exponent.
Number multiplied(Terms& t, std::span<const Number> factors) {
    Number p = factors[0];
    std::vector<Term> zeros, nans, infinities;
    Term sign = t.truth(false), zero_sign = t.truth(false);
    for (std::size_t i = 0; i < factors.size(); ++i) {
        const Number& f = factors[i];
        if (i > 0) {
            p.magnitude = t.mul_wide(p.magnitude, f.magnitude);
            p.exponent = add(t, p.exponent, f.exponent);
            p.gap = *p.gap + *f.gap;
            p.carried = first_carried(t, p.carried, f.carried);
        }
        zeros.push_back(f.zero);
        nans.push_back(f.nan);
        infinities.push_back(t.bvor(f.positive, f.negative));
        // A flushed operand's sign as a zero may differ from the sign it had.
        const Term own = t.ite(f.zero, f.zero_negative, f.sign);
        sign = t.bvxor(sign, own);
        zero_sign = sign;
    }
    p.zero = t.any_of(zeros);
    p.sign = sign;
    p.zero_negative = zero_sign;
    p.zero_mixed = t.truth(false);
    const Term infinite = t.any_of(infinities);
    nans.push_back(t.bvand(infinite, p.zero)); // infinity times zero
    p.nan = t.any_of(nans);
    p.positive = t.bvand(infinite, t.bvnot(sign));
    p.negative = t.bvand(infinite, sign);
    return p;
}

std::vector<Number> as_list(const Factors& f) {
    std::vector<Number> list = {f.a, f.b};
    if (f.scale_a) list.push_back(*f.scale_a);
    if (f.scale_b) list.push_back(*f.scale_b);
    return list;
}

Number normalised(Terms& t, Number p, Normalisation how) {
    const int width = t.width(p.magnitude), gap = *p.gap;
    if (how == Normalisation::carry && width > gap + 1) {
        // The significand magnitude/2^gap is ≥ 2 where a bit above the units is set.
        const Term carry = t.bvnot(t.is_zero(t.extract(p.magnitude, gap + 1, width - gap - 1)));
        const Term wide = t.zero_extend(p.magnitude, width + 1);
        p.magnitude = t.ite(carry, wide, t.concat(p.magnitude, t.constant(1, 0)));
        p.exponent = add(t, p.exponent, ranged_from(t, carry, 1));
        p.gap = gap + 1;
    }
    if (how == Normalisation::full) {
        const Ranged log = floor_log2(t, p.magnitude);
        const Ranged shift = subtract(t, ranged_constant(t, width - 1), log);
        p.magnitude = t.bvshl(p.magnitude, above(t, shift, 0));
        // floor(log2 |value|) = log + exponent − gap; a zero keeps the exponent of its fields.
        p.exponent = ite(t, p.zero, p.exponent, add(t, p.exponent, log) - gap);
        p.gap = width - 1;
    }
    return p;
}

// The exact sum of products in fixed point, at the last place of the smallest product there can be; exponent 0.
Number fixed_point_sum(Terms& t, std::span<const Number> products) {
    const Number& first = products.front();
    const int count_bits = bits_for(static_cast<int>(products.size()));
    const int width = t.width(first.magnitude) + (first.exponent.high - first.exponent.low) + count_bits + 1;
    std::vector<Term> summands;
    for (const Number& p : products) {
        const Term fixed = t.bvshl(t.zero_extend(p.magnitude, width), above(t, p.exponent, p.exponent.low));
        summands.push_back(t.ite(p.sign, t.bvneg(fixed), fixed));
    }
    const Term total = t.bvadd(summands);

    Number sum;
    sum.sign = t.bit(total, width - 1);
    sum.magnitude = t.extract(t.ite(sum.sign, t.bvneg(total), total), 0, width - 1);
    sum.zero = t.is_zero(total);
    sum.exponent = ranged_constant(t, 0);
    sum.gap = *first.gap - first.exponent.low;
    sum.has_exponent = t.truth(true);
    zero_sign_of_sum(t, sum, products, [&](std::size_t i) { return products[i].zero; });
    join_specials(t, sum, products);
    return sum;
}

} // namespace

Number product_term(Terms& t, const Product& leaf, const Factors& given) {
    Factors factors = given;
    if (leaf.flush) {
        factors.a = flushed(t, factors.a, leaf.flush_keeps_sign);
        factors.b = flushed(t, factors.b, leaf.flush_keeps_sign);
    }
    const Number raw = multiplied(t, as_list(factors));
    Number p = normalised(t, raw, leaf.normalisation);
    if (leaf.limit) {
        const Ranged log = add(t, raw.exponent, floor_log2(t, raw.magnitude)) - *raw.gap;
        const Term beyond = t.bvand(t.bvnot(p.zero), at_least(t, log, *leaf.limit));
        const Term up = t.bvand(beyond, t.bvnot(p.sign)), down = t.bvand(beyond, p.sign);
        (leaf.limit_yields ? p.soft_positive : p.positive) =
            t.bvor(leaf.limit_yields ? p.soft_positive : p.positive, up);
        (leaf.limit_yields ? p.soft_negative : p.negative) =
            t.bvor(leaf.limit_yields ? p.soft_negative : p.negative, down);
    }
    return p;
}

Number group_term(Terms& t, std::span<const Factors> elements) {
    std::vector<Number> products;
    for (const Factors& f : elements) {
        const Number pair[] = {f.a, f.b};
        products.push_back(multiplied(t, pair));
    }
    Number sum = fixed_point_sum(t, products);

    // As a factor, an infinite sum has the sign of the infinity and is not zero.
    const Settled special = settle(t, sum);
    sum.nan = special.nan;
    sum.sign = t.ite(t.bvor(special.positive, special.negative), special.negative, sum.sign);
    sum.zero = t.bvand(sum.zero, t.bvnot(t.bvor(special.positive, special.negative)));

    std::vector<Number> factors = {sum};
    const Factors& shared = elements.front();
    if (shared.scale_a) factors.push_back(*shared.scale_a);
    if (shared.scale_b) factors.push_back(*shared.scale_b);
    Number group = multiplied(t, factors);
    // If only a scale made it zero, not all products were zero.
    group.zero_mixed = t.bvor(t.bvnot(sum.zero), sum.zero_mixed);
    return group;
}

Number accumulator_term(Terms& t, const Accumulator& leaf, const Number& value, const Format& from) {
    Number n = leaf.flush ? flushed(t, value, leaf.flush_keeps_sign) : value;
    if (!leaf.as) return n;
    // In a format with smaller exponents a subnormal becomes normal, as far as that format goes.
    const int gained = from.emin() - format(*leaf.as).emin();
    if (gained <= 0) return n;
    const int width = t.width(n.magnitude);
    const Ranged leading = subtract(t, ranged_constant(t, width - 1), floor_log2(t, n.magnitude));
    const Ranged zeros = minimum(t, leading, ranged_constant(t, gained));
    n.magnitude = t.bvshl(n.magnitude, above(t, zeros, 0));
    Ranged exponent = add(t, n.exponent - zeros.high, subtract(t, ranged_constant(t, zeros.high), zeros));
    exponent.low = from.emin() - gained;
    exponent.high = n.exponent.high;
    n.exponent = ite(t, n.zero, ranged_constant(t, from.emin() - gained), exponent);
    return n;
}

} // namespace discern
