// Products, groups and the accumulator. The significands are multiplied, the exponents added; nothing is rounded.
#include "leaves.hpp"

#include "models/unit/product_digits.hpp"
#include "special.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <vector>

namespace discern {

namespace {

// Flushes subnormal operands (those whose hidden bit is 0) to zero; with zin=pos, −0 becomes +0, too.
Number flushed(Terms& t, Number n, const Pick<OperandFlush>& rule) {
    const Term ftz = rule.when(t, [](OperandFlush f) { return f != OperandFlush::none; });
    if (ftz == t.truth(false) || !n.has_subnormals) return n;
    n.pattern.reset();
    const Term hidden = t.bit(n.magnitude, t.width(n.magnitude) - 1);
    // match: |value| ≥ 2^emin unless it is zero => nothing is flushed
    const bool none = is_never_subnormal(t, n);
    const Term subnormal = none ? t.truth(false) : t.bvand(ftz, t.bvand(t.bvnot(hidden), t.bvnot(n.zero)));
    if (!none) n.magnitude = t.ite(t.bvand(ftz, t.bvnot(hidden)), t.constant(t.width(n.magnitude), 0), n.magnitude);
    n.zero = t.bvor(n.zero, subnormal);
    if (ftz == t.truth(true) && n.bounds.normal_above != INT_MAX)
        n.bounds.least = std::max(n.bounds.least, n.bounds.normal_above), n.bounds.depth = 0;
    // A zero that comes of a flush has the operand's sign, also where all other zeros are +0.
    n.zero_negative = t.ite(subnormal, n.sign, n.zero_negative);
    const Term positive = rule.when(t, [](OperandFlush f) { return f == OperandFlush::positive; });
    n.zero_negative = t.bvand(n.zero_negative, t.bvnot(t.bvand(positive, subnormal)));
    const Term plus = rule.when(t, [](OperandFlush f) { return f == OperandFlush::plus; });
    n.zero_negative = t.bvand(n.zero_negative, t.bvnot(plus));
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
    n.lsb = n.exponent - *n.gap;
    return n;
}

// The least exponent that numbers are normalised down to in the format that they are read as; nothing: their exponents
// stay. @param least  that of the format they are in
Pick<std::optional<int>> normalised_down_to(Terms& t, const Pick<std::optional<FormatId>>& as, int least,
                                            bool is_fixed_point) {
    return as.mapped(t, [&](std::optional<FormatId> id) {
        const int emin = id ? std::min(format(*id).emin(), least) : least;
        return id && (emin != least || is_fixed_point) ? std::optional(emin) : std::nullopt;
    });
}

// A factor in a wider format: the exponent of a subnormal number is that of its first digit, or that format's least
// one, which zeros have too. Its digits stay where they are.
Number read_again(Terms& t, Number n, const Pick<std::optional<FormatId>>& as) {
    const int least = n.exponent.low;
    const auto emin = normalised_down_to(t, as, least, false);
    if (emin.all([](std::optional<int> e) { return !e; })) return n;
    const Ranged of_fields = n.exponent;
    Ranged top = of_fields;
    // Where no number is subnormal, only the exponents of zeros change.
    if (!is_never_subnormal(t, n)) {
        top = add(t, n.lsb, floor_log2(t, n.magnitude));
        top.low = n.bounds.last;
        top.high = of_fields.high;
    }
    n.exponent = choose_ranged(t, emin, [&](std::optional<int> e) {
        return !e ? of_fields : ite(t, n.zero, ranged_constant(t, *e), maximum(t, top, *e));
    });
    n.gap.reset();
    int highest = INT_MIN;
    for (const auto& [e, condition] : emin.options) highest = std::max(highest, e.value_or(least));
    if (highest <= n.bounds.last) n.bounds.depth = 0;
    if (n.bounds.normal_above != INT_MAX) n.bounds.normal_above = highest;
    n.bounds.zero_exponent = highest;
    return n;
}

// Multiplying by a scale that is a power of two changes no digit.
DigitRuns digit_runs_of(const Terms& t, std::span<const Number> factors) {
    if (factors.size() < 2) return {};
    for (const Number& scale : factors.subspan(2))
        if (t.width(scale.magnitude) > 1) return {};
    const int a = t.width(factors[0].magnitude), b = t.width(factors[1].magnitude);
    const ProductDigits* digits = product_digits(a, b);
    if (digits == nullptr) return {};
    // Above a run of ones stands 10, or 100 and a further digit follows the ones.
    const int inner = std::max(digits->longest(DigitRun::ones_below_10), a + b - 4);
    return {digits->longest(DigitRun::zeros),
            digits->longest(DigitRun::ones),
            inner,
            digits->longest(DigitRun::zeros_below_01),
            digits->longest(DigitRun::lone_zeros_below_01),
            digits->longest(DigitRun::all_ones_below_10)};
}

int sum_of_known(int x, int y) { return x == INT_MAX || y == INT_MAX ? INT_MAX : x + y; }

// Bounds by exponent: above which exponents of a product at least one factor is normal, and above which both are.
// Scales are not bounded.
void set_depths(Bounds& product, std::span<const Number> factors) {
    product.normal_above = product.partly_above = INT_MAX;
    if (factors.size() != 2) return;
    const Bounds &x = factors[0].bounds, &y = factors[1].bounds;
    if (x.normal_above == INT_MAX || y.normal_above == INT_MAX) return;
    product.normal_above =
        std::max(x.normal_above + factors[1].exponent.high, factors[0].exponent.high + y.normal_above);
    product.partly_above = x.normal_above + y.normal_above;
    product.part_depth = std::max(x.depth, y.depth);
}

// All of a product but its reference exponent, which depends on the normalisation.
// @param beats_zero  whether infinity times zero is infinite
Number multiplied(Terms& t, std::span<const Number> factors, Term beats_zero) {
    Number p = factors[0];
    p.bounds.least = least_magnitude(p.bounds);
    set_depths(p.bounds, factors);
    p.bounds.runs = digit_runs_of(t, factors);
    std::vector<Term> zeros, nans, infinities;
    Term sign = t.truth(false), zero_sign = t.truth(false);
    for (std::size_t i = 0; i < factors.size(); ++i) {
        const Number& f = factors[i];
        if (i > 0) {
            p.magnitude = t.mul_wide(p.magnitude, f.magnitude);
            // At least one factor of a zero product has the smallest exponent of its format.
            p.bounds.zero_exponent =
                std::max(p.bounds.zero_exponent + f.exponent.high, p.exponent.high + f.bounds.zero_exponent);
            p.exponent = add(t, p.exponent, f.exponent);
            p.gap = p.gap && f.gap ? std::optional(*p.gap + *f.gap) : std::nullopt;
            p.bounds.last += f.bounds.last;
            p.bounds.least += least_magnitude(f.bounds);
            p.bounds.depth = sum_of_known(p.bounds.depth, f.bounds.depth);
            p.bounds.digits = sum_of_known(p.bounds.digits, f.bounds.digits);
            p.bounds.units = product_above(p.bounds.units, f.bounds.units);
            p.bounds.below += f.bounds.below;
            p.bounds.most = product_above(p.bounds.most, f.bounds.most);
            p.bounds.peak = product_above(p.bounds.peak, f.bounds.peak);
            p.carried = first_carried(t, p.carried, f.carried);
        }
        zeros.push_back(f.zero);
        nans.push_back(f.nan);
        infinities.push_back(t.bvor(f.positive, f.negative));
        // A flushed operand is a zero whose sign may differ from the operand's.
        sign = t.bvxor(sign, f.sign);
        zero_sign = t.bvxor(zero_sign, t.ite(f.zero, f.zero_negative, f.sign));
    }
    if (p.gap)
        p.lsb = p.exponent - *p.gap;
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
    const Term of_infinity = beats_zero == t.truth(false) ? sign : zero_sign;
    p.positive = t.bvand(infinite, t.bvnot(of_infinity));
    p.negative = t.bvand(infinite, of_infinity);
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
    const int width = t.width(p.magnitude), gap = p.gap.value_or(p.bounds.digits);
    const Ranged raw = p.exponent;
    p.exponent = choose_ranged(t, how, [&](Normalisation n) {
        if (n == Normalisation::raw) return raw;
        if (n == Normalisation::carry) {
            if (!p.gap) {
                const Term reaches_two = less(t, raw, add(t, p.lsb, floor_log2(t, p.magnitude)));
                return add(t, raw, ranged_from(t, t.bvand(reaches_two, t.bvnot(p.zero)), 1));
            }
            if (width <= gap + 1) return raw;
            // The significand magnitude / 2^gap is at least 2 if a bit above 2^gap is set.
            const Term carry = t.bvnot(t.is_zero(t.extract(p.magnitude, gap + 1, width - gap - 1)));
            return add(t, raw, ranged_from(t, carry, 1));
        }
        // ⌊log2 |value|⌋; a zero keeps the exponent of its fields.
        Ranged top = add(t, p.lsb, floor_log2(t, p.magnitude));
        top.low = p.bounds.last;
        top.high = std::max(std::min(p.bounds.below - 1, std::ilogb(p.bounds.most)), raw.high);
        return ite(t, p.zero, raw, top);
    });
    p.gap.reset();
    // Bounds must hold for every choice. A product that is not normalised has `gap` bits below its exponent; one that
    // is normalised, or has its exponent raised by a carry, has at most all but one of its bits.
    const bool all_full = how.all([](Normalisation n) { return n == Normalisation::full; });
    const int bits = p.bounds.units >= 1 ? std::min(width, std::ilogb(p.bounds.units) + 1) : width; // of the magnitude
    p.bounds.digits = all_full ? bits - 1 : std::max(gap, bits - 1);
    if (all_full) p.bounds.depth = 0;
    // A carry shifts by one bit: a significand below 4 becomes less than 2. In fixed point (−2 · −2), or times a scale
    // with a fraction, it can be 4 or more, and then stays 2 or more.
    const bool some_raw = !how.all([](Normalisation n) { return n != Normalisation::raw; });
    if (all_full || (!some_raw && p.bounds.peak < 4))
        p.bounds.peak = std::min(p.bounds.peak, bits <= 53 ? 2 - std::ldexp(1.0, 1 - bits) : 2.0);
    return p;
}

// The exact sum of products in fixed point, whose last bit is that of the smallest possible product; its exponent is 0.
// A product that is always zero has no part in that bound.
Number fixed_point_sum(Terms& t, std::span<const Number> products) {
    const Number& first = products.front();
    const int count_bits = bits_for(static_cast<int>(products.size()));
    const int low = first.exponent.low;
    int high = first.exponent.high, below = first.bounds.below, last = first.bounds.last;
    for (const Number& p : products) {
        high = std::max(high, p.exponent.high);
        below = std::max(below, p.bounds.below);
        last = std::min(last, p.bounds.last);
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
    sum.gap = *first.gap - low;
    sum.lsb = sum.exponent - *sum.gap;
    sum.bounds = {.last = last,
                  .units = std::ldexp(1.0, std::min(t.width(sum.magnitude), 1000)),
                  .below = below + count_bits,
                  .peak = std::ldexp(1.0, std::min(below + count_bits, 1000))};
    for (const Number& p : products) sum.bounds.most = sum_above(sum.bounds.most, p.bounds.most);
    sum.has_exponent = t.truth(true);
    zero_sign_of_sum(t, sum, products, [&](std::size_t i) { return products[i].zero; });
    join_specials(t, sum, products);
    return sum;
}

// An empty group has the exponent that `empty` says, or none; its magnitude is zero.
Number emptied(Number group, const Pick<ZeroExponent>& rule, Term empty) {
    for (const auto& [e, condition] : rule.options)
        if (e.kind == ZeroExponent::Kind::constant)
            group.bounds.zero_exponent = std::max(group.bounds.zero_exponent, e.value);
    group.empty = {empty, rule};
    return group;
}

} // namespace

Number product_term(Terms& t, const ProductRule& rule, const Factors& given) {
    Factors factors = given;
    for (Number* factor : {&factors.a, &factors.b})
        *factor = read_again(t, flushed(t, with_specials_read(t, *factor, rule), rule.ftz), rule.as);
    const Number raw = multiplied(t, as_list(factors), rule.infzero.when(t, [](bool beats) { return beats; }));
    Number p = normalised(t, raw, rule.normalisation);
    if (factors.scale_a && factors.scale_b) {
        const Ranged &a = factors.scale_a->exponent, &b = factors.scale_b->exponent;
        p.scaling = {.a = a.bits, .b = b.bits, .low = a.low + b.low, .high = a.high + b.high};
    }
    // match: |product| < 2^limit => no limit
    const auto limit =
        rule.limit.mapped(t, [&](std::optional<int> n) { return n && *n >= raw.bounds.below ? std::nullopt : n; });
    if (limit.all([](const auto& n) { return !n; })) return p;
    const Ranged log = add(t, raw.lsb, floor_log2(t, raw.magnitude));
    std::vector<Term> reached;
    for (const auto& [n, condition] : limit.options)
        if (n) reached.push_back(t.bvand(condition, at_least(t, log, *n)));
    const Term beyond = t.bvand(t.bvnot(p.zero), t.any_of(reached));
    const Term tentative = rule.oinf_yields.when(t, [](bool yields) { return yields; });
    const Term up = t.bvand(beyond, t.bvnot(p.sign)), down = t.bvand(beyond, p.sign);
    p.tentative_positive = t.bvor(p.tentative_positive, t.bvand(up, tentative));
    p.tentative_negative = t.bvor(p.tentative_negative, t.bvand(down, tentative));
    p.positive = t.bvor(p.positive, t.bvand(up, t.bvnot(tentative)));
    p.negative = t.bvor(p.negative, t.bvand(down, t.bvnot(tentative)));
    if (limit.is_fixed()) {
        p.bounds.below = std::min(p.bounds.below, *limit.first());
        p.bounds.most = std::min(p.bounds.most, std::ldexp(1.0, p.bounds.below));
    }
    return p;
}

Number group_term(Terms& t, const Pick<ZeroExponent>& empty, std::span<const Factors> elements) {
    std::vector<Number> products;
    for (const Factors& f : elements) {
        const Number pair[] = {f.a, f.b};
        products.push_back(multiplied(t, pair, t.truth(false)));
    }
    Number sum = fixed_point_sum(t, products);

    // An infinite sum, multiplied by a scale, is a nonzero factor with the infinity's sign.
    const Settled special = settle(t, sum);
    sum.nan = special.nan;
    sum.sign = t.ite(t.bvor(special.positive, special.negative), special.negative, sum.sign);
    sum.zero = t.bvand(sum.zero, t.bvnot(t.bvor(special.positive, special.negative)));

    std::vector<Number> factors = {sum};
    const Factors& shared = elements.front();
    if (shared.scale_a) factors.push_back(*shared.scale_a);
    if (shared.scale_b) factors.push_back(*shared.scale_b);
    Number group = multiplied(t, factors, t.truth(false));
    // The group may be zero because a scale is, while products are not.
    group.zero_mixed = t.bvor(t.bvnot(sum.zero), sum.zero_mixed);
    if (empty.all([](const ZeroExponent& e) { return e.kind == ZeroExponent::Kind::own; })) return group;

    std::vector<Term> no_product;
    for (const Number& p : products) no_product.push_back(p.zero);
    const Term none = t.all_of(no_product);
    std::vector<Term> why = {none};
    for (std::size_t i = 1; i < factors.size(); ++i) why.push_back(factors[i].zero);
    return emptied(std::move(group), empty, t.any_of(why));
}

Number accumulator_term(Terms& t, const AccumulatorRule& rule, const Number& value, const Format& from) {
    Number n = flushed(t, value, rule.ftz);
    // A subnormal number is normalised down to the emin of a format with smaller exponents, and so is the smallest
    // number of a fixed-point format, whose significand is 2.
    using Emin = std::optional<int>;
    const auto emin = normalised_down_to(t, rule.as, from.emin(), from.is_fixed_point());
    if (emin.all([](Emin e) { return !e; })) return n;
    Ranged top = add(t, n.lsb, floor_log2(t, n.magnitude));
    top.low = n.bounds.last;
    top.high = std::max(n.exponent.high, n.bounds.below - 1);
    n.exponent = choose_ranged(t, emin, [&](Emin e) {
        return !e ? value.exponent : ite(t, n.zero, ranged_constant(t, *e), maximum(t, top, *e));
    });
    n.gap.reset();
    n.bounds.depth = n.bounds.digits; // a value that is not zero is at least one unit of its last bit
    n.bounds.normal_above = INT_MAX;
    return n;
}

} // namespace discern
