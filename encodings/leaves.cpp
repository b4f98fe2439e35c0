// Products, groups and the accumulator. The significands are multiplied, the exponents added; nothing is rounded.
#include "leaves.hpp"

#include "encodings/number/special.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <vector>

namespace discern {

namespace {

// Flushes subnormal operands (those whose hidden bit is 0) to zero; with zin=pos, −0 becomes +0, too.
Number flushed(Terms& t, Number n, const Pick<OperandFlush>& rule) {
    const Term ftz = rule.when(t, [](OperandFlush f) { return f != OperandFlush::none; });
    if (ftz == t.truth(false) || !n.facts->has_subnormals) return n;
    n.pattern.reset();
    const Term hidden = t.bit(n.magnitude, t.width(n.magnitude) - 1);
    // match: |value| ≥ 2^emin unless it is zero => nothing is flushed
    const bool none = t.may_fold(Folding::operand_never_subnormal) && is_never_subnormal(t, n);
    const Term subnormal = none ? t.truth(false) : t.bvand(ftz, t.bvand(t.bvnot(hidden), t.bvnot(n.zero)));
    if (!none) n.magnitude = t.ite(t.bvand(ftz, t.bvnot(hidden)), t.constant(t.width(n.magnitude), 0), n.magnitude);
    n.zero = t.bvor(n.zero, subnormal);
    if (ftz == t.truth(true)) n.facts = n.facts.flushed();
    // A zero that comes of a flush has the operand's sign, also where all other zeros are +0.
    n.zero_negative = t.ite(subnormal, n.sign, n.zero_negative);
    const Term positive = rule.when(t, [](OperandFlush f) { return f == OperandFlush::positive; });
    n.zero_negative = t.bvand(n.zero_negative, t.bvnot(t.bvand(positive, subnormal)));
    const Term plus = rule.when(t, [](OperandFlush f) { return f == OperandFlush::plus; });
    n.zero_negative = t.bvand(n.zero_negative, t.bvnot(plus));
    t.show(n);
    return n;
}

// Reads an infinity as NaN, and a NaN as a zero of its sign, where the rule says so.
Number with_specials_read(Terms& t, Number n, const ProductRule& rule) {
    const auto yes = [](bool is) { return is; };
    const Term to_nan = rule.infnan.when(t, yes), to_zero = rule.nanzero.when(t, yes);
    n.nan = t.bvor(n.nan, t.bvand(to_nan, t.bvor(n.positive, n.negative)));
    n.positive = t.bvand(n.positive, t.bvnot(to_nan));
    n.negative = t.bvand(n.negative, t.bvnot(to_nan));
    if (to_zero == t.truth(false)) return n;
    const Term zeroed = t.bvand(n.nan, to_zero);
    n.nan = t.bvand(n.nan, t.bvnot(to_zero));
    n.carried.present = t.bvand(n.carried.present, t.bvnot(zeroed));
    n.zero = t.bvor(n.zero, zeroed);
    n.magnitude = t.ite(zeroed, t.constant(t.width(n.magnitude), 0), n.magnitude);
    n.exponent = ite(t, zeroed, ranged_constant(t, n.exponent.low), n.exponent);
    n.lsb = n.exponent - *n.facts->gap;
    return n;
}

// A number in a wider format: the exponent of a subnormal number is that of its first digit, or the wider format's
// least one, which zeros have too. So is that of the smallest number in fixed point, whose significand is 2. The digits
// stay where they are.
Number read_again(Terms& t, Number n, const Pick<std::optional<FormatId>>& as) {
    const int own = n.facts->zero_exponent; // emin of the format it was decoded from
    const bool is_fixed_point = !n.facts->has_subnormals;
    using Emin = std::optional<int>; // nothing: exponents are not changed
    int highest = INT_MIN;
    const auto emin = as.mapped(t, [&](std::optional<FormatId> id) {
        const int least = id ? std::min(format(*id).emin(), own) : own;
        highest = std::max(highest, least);
        return id && (least != own || is_fixed_point) ? Emin(least) : Emin();
    });
    if (emin.all([](Emin e) { return !e; })) return n;
    const Ranged of_fields = n.exponent;
    Ranged top = add(t, n.lsb, floor_log2(t, n.magnitude));
    top.low = n.facts->last;
    top.high = std::max(of_fields.high, n.facts->below - 1);
    n.exponent = choose_ranged(
        t, emin, [&](Emin e) { return !e ? of_fields : ite(t, n.zero, ranged_constant(t, *e), maximum(t, top, *e)); });
    n.facts = n.facts.read_again(highest);
    t.show(n);
    return n;
}

// All of a product but its reference exponent, which depends on the normalisation.
// @param operands    how many of the first factors are operands; the others are scales
// @param beats_zero  whether infinity times zero is infinite
Number multiplied(Terms& t, std::span<const Number> factors, std::size_t operands, Term beats_zero) {
    Number p = factors[0];
    std::vector<Term> zeros, nans, infinities;
    Term sign = t.truth(false), zero_sign = t.truth(false);
    for (std::size_t i = 0; i < factors.size(); ++i) {
        const Number& f = factors[i];
        if (i > 0) {
            p.magnitude = t.mul_wide(p.magnitude, f.magnitude);
            const int high = p.exponent.high, other_high = f.exponent.high;
            p.facts = i < operands ? p.facts.times(f.facts, high, other_high)
                                   : p.facts.times_scale(f.facts, high, other_high);
            p.exponent = add(t, p.exponent, f.exponent);
            p.carried = first_carried(t, p.carried, f.carried);
        }
        zeros.push_back(f.zero);
        nans.push_back(f.nan);
        infinities.push_back(t.bvor(f.positive, f.negative));
        // A flushed operand is a zero whose sign may differ from the operand's.
        sign = t.bvxor(sign, f.sign);
        zero_sign = t.bvxor(zero_sign, t.ite(f.zero, f.zero_negative, f.sign));
    }
    if (p.facts->gap)
        p.lsb = p.exponent - *p.facts->gap;
    else
        for (const Number& f : factors.subspan(1)) p.lsb = add(t, p.lsb, f.lsb);
    p.zero = t.any_of(zeros);
    p.sign = sign;
    p.zero_negative = zero_sign;
    p.zero_mixed = t.truth(false);
    const Term infinite = t.any_of(infinities);
    nans.push_back(t.bvand(t.bvand(infinite, p.zero), t.bvnot(beats_zero)));
    p.nan = t.any_of(nans);
    // match: no zero factor beside an infinite one => its sign is that of the factors as they were before a flush
    const Term of_infinity = t.may_fold(Folding::infinite_sign) && beats_zero == t.truth(false) ? sign : zero_sign;
    p.positive = t.bvand(infinite, t.bvnot(of_infinity));
    p.negative = t.bvand(infinite, of_infinity);
    t.show(p);
    return p;
}

std::vector<Number> as_list(const Factors& f) {
    std::vector<Number> list = {f.a, f.b};
    if (f.scale_a) list.push_back(*f.scale_a);
    if (f.scale_b) list.push_back(*f.scale_b);
    return list;
}

// Sets the reference exponent of a product by its normalisation; the value does not change.
Number normalised(Terms& t, Number p, const Pick<Normalisation>& how) {
    if (how.all([](Normalisation n) { return n == Normalisation::raw; })) return p;
    const int width = t.width(p.magnitude);
    const Ranged raw = p.exponent;
    p.exponent = choose_ranged(t, how, [&](Normalisation n) {
        if (n == Normalisation::raw) return raw;
        if (n == Normalisation::carry) {
            if (!p.facts->gap) {
                const Term reaches_two = less(t, raw, add(t, p.lsb, floor_log2(t, p.magnitude)));
                return add(t, raw, ranged_from(t, t.bvand(reaches_two, t.bvnot(p.zero)), 1));
            }
            const int gap = *p.facts->gap;
            if (width <= gap + 1) return raw;
            // The significand magnitude / 2^gap is at least 2 if a bit above 2^gap is set.
            const Term carry = t.bvnot(t.is_zero(t.extract(p.magnitude, gap + 1, width - gap - 1)));
            return add(t, raw, ranged_from(t, carry, 1));
        }
        // ⌊log2 |value|⌋; a zero keeps the exponent of its fields.
        Ranged top = add(t, p.lsb, floor_log2(t, p.magnitude));
        top.low = p.facts->last;
        top.high = std::max(std::min(p.facts->below - 1, std::ilogb(p.facts->most)), raw.high);
        return ite(t, p.zero, raw, top);
    });
    const bool all_full = how.all([](Normalisation n) { return n == Normalisation::full; });
    const bool some_raw = how.any([](Normalisation n) { return n == Normalisation::raw; });
    p.facts = p.facts.normalised(width, all_full, some_raw);
    return p;
}

// The exact sum of products in fixed point, whose last bit is that of the smallest possible product; its exponent is 0.
// A product that is always zero has no part in that bound.
Number fixed_point_sum(Terms& t, std::span<const Number> products) {
    const Number& first = products.front();
    const int count_bits = bits_for(static_cast<int>(products.size()));
    const int low = first.exponent.low;
    int high = first.exponent.high;
    std::vector<Facts> facts;
    for (const Number& p : products) {
        high = std::max(high, p.exponent.high);
        facts.push_back(p.facts);
    }
    const int width = t.width(first.magnitude) + (high - low) + count_bits + 1;
    std::vector<Term> summands;
    for (const Number& p : products) {
        const Term fixed = t.bvshl(t.zero_extend(p.magnitude, width), above(t, p.exponent, low));
        summands.push_back(t.ite(p.sign, t.bvneg(fixed), fixed));
    }
    const Term total = t.bvadd(summands);

    Number sum;
    sum.sign = t.bit(total, width - 1);
    sum.magnitude = t.extract(t.ite(sum.sign, t.bvneg(total), total), 0, width - 1);
    sum.zero = t.is_zero(total);
    sum.exponent = ranged_constant(t, 0);
    sum.facts = Facts::of_group(facts, t.width(sum.magnitude), *first.facts->gap - low);
    sum.lsb = sum.exponent - *sum.facts->gap;
    sum.has_exponent = t.truth(true);
    zero_sign_of_sum(t, sum, products, [&](std::size_t i) { return products[i].zero; });
    join_specials(t, sum, products);
    t.show(sum);
    return sum;
}

// A number that is multiplied by scales: where it is infinite, it is a nonzero factor with the infinity's sign.
Number as_factor(Terms& t, Number n) {
    const Settled special = settle(t, n);
    const Term infinite = t.bvor(special.positive, special.negative);
    n.nan = special.nan;
    n.sign = t.ite(infinite, special.negative, n.sign);
    n.zero = t.bvand(n.zero, t.bvnot(infinite));
    n.pattern.reset(); // which is that of the number without its scales
    n.summands.clear();
    return n;
}

// An empty group has the exponent that `empty` says, or none; its magnitude is zero.
Number emptied(Number group, const Pick<ZeroExponent>& rule, Term empty) {
    for (const auto& [e, condition] : rule.options)
        if (e.kind == ZeroExponent::Kind::constant) group.facts = group.facts.with_zero_exponent(e.value);
    group.empty = {empty, rule};
    return group;
}

} // namespace

Number scaled_term(Terms& t, const Number& rounded, const std::vector<Number>& scales) {
    std::vector<Number> factors = {as_factor(t, rounded)};
    factors.insert(factors.end(), scales.begin(), scales.end());
    return multiplied(t, factors, 1, t.truth(false));
}

Number product_term(Terms& t, const ProductRule& rule, const Factors& given) {
    Factors factors = given;
    for (Number* factor : {&factors.a, &factors.b})
        *factor = read_again(t, flushed(t, with_specials_read(t, *factor, rule), rule.ftz), rule.as);
    const Number raw = multiplied(t, as_list(factors), 2, rule.infzero.when(t, [](bool beats) { return beats; }));
    Number p = normalised(t, raw, rule.normalisation);
    if (factors.scale_a && factors.scale_b) {
        const Number &a = factors.a, &b = factors.b, &x = *factors.scale_a, &y = *factors.scale_b;
        const bool may_be_normalised = rule.normalisation.any([](Normalisation n) { return n != Normalisation::raw; });
        p.facts = p.facts.with_scales(x.exponent, y.exponent, a.facts.times(b.facts, a.exponent.high, b.exponent.high),
                                      x.facts, y.facts, a.exponent.high + b.exponent.high, may_be_normalised);
    }
    t.show(p);
    if (rule.limit.all([](const auto& n) { return !n; })) return p;
    const Ranged log = add(t, raw.lsb, floor_log2(t, raw.magnitude));
    std::vector<Term> reached;
    for (const auto& [n, condition] : rule.limit.options)
        if (n) reached.push_back(t.bvand(condition, at_least(t, log, *n)));
    const Term beyond = t.bvand(t.bvnot(p.zero), t.any_of(reached));
    const Term tentative = rule.oinf_yields.when(t, [](bool yields) { return yields; });
    const Term up = t.bvand(beyond, t.bvnot(p.sign)), down = t.bvand(beyond, p.sign);
    p.tentative_positive = t.bvor(p.tentative_positive, t.bvand(up, tentative));
    p.tentative_negative = t.bvor(p.tentative_negative, t.bvand(down, tentative));
    p.positive = t.bvor(p.positive, t.bvand(up, t.bvnot(tentative)));
    p.negative = t.bvor(p.negative, t.bvand(down, t.bvnot(tentative)));
    if (rule.limit.is_fixed()) p.facts = p.facts.limited(*rule.limit.first());
    t.show(p);
    return p;
}

Number group_term(Terms& t, const Pick<ZeroExponent>& empty, std::span<const Factors> elements) {
    std::vector<Number> products;
    for (const Factors& f : elements) {
        const Number pair[] = {f.a, f.b};
        products.push_back(multiplied(t, pair, 2, t.truth(false)));
    }
    Number sum = fixed_point_sum(t, products);

    sum = as_factor(t, std::move(sum));

    std::vector<Number> factors = {sum};
    const Factors& shared = elements.front();
    if (shared.scale_a) factors.push_back(*shared.scale_a);
    if (shared.scale_b) factors.push_back(*shared.scale_b);
    Number group = multiplied(t, factors, 1, t.truth(false));
    // The group may be zero because a scale is, while products are not.
    group.zero_mixed = t.bvor(t.bvnot(sum.zero), sum.zero_mixed);
    if (empty.all([](const ZeroExponent& e) { return e.kind == ZeroExponent::Kind::own; })) return group;

    std::vector<Term> no_product;
    for (const Number& p : products) no_product.push_back(p.zero);
    const Term none = t.all_of(no_product);
    std::vector<Term> why = {none};
    for (std::size_t i = 1; i < factors.size(); ++i) why.push_back(factors[i].zero);
    group = emptied(std::move(group), empty, t.any_of(why));
    t.show(group);
    return group;
}

Number accumulator_term(Terms& t, const AccumulatorRule& rule, const Number& value) {
    return read_again(t, flushed(t, value, rule.ftz), rule.as);
}

} // namespace discern
