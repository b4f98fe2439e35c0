// Products, groups and the accumulator. The significands are multiplied, the exponents added; nothing is rounded.
#include "leaves.hpp"

#include "models/unit/product_digits.hpp"
#include "special.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace discern {

namespace {

// Reads a subnormal as zero: its hidden bit is 0. Perhaps −0 is read as +0 too.
Number flushed(Terms& t, Number n, const Pick<OperandFlush>& rule) {
    const Term flush = rule.when(t, [](OperandFlush f) { return f != OperandFlush::none; });
    if (flush == t.truth(false) || !n.has_subnormals) return n;
    n.pattern.reset();
    const Term hidden = t.bit(n.magnitude, t.width(n.magnitude) - 1);
    // match: values that are never below the smallest normal number => none of them is flushed
    const bool none = is_never_subnormal(t, n);
    const Term subnormal = none ? t.truth(false) : t.bvand(flush, t.bvand(t.bvnot(hidden), t.bvnot(n.zero)));
    if (!none) n.magnitude = t.ite(t.bvand(flush, t.bvnot(hidden)), t.constant(t.width(n.magnitude), 0), n.magnitude);
    n.zero = t.bvor(n.zero, subnormal);
    if (flush == t.truth(true) && n.bounds.normal_above != INT_MAX)
        n.bounds.least = std::max(n.bounds.least, n.bounds.normal_above), n.bounds.depth = 0;
    // Zeros of the number may all be +0, and one that it is flushed to is not.
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
    const Term to_nan = rule.infinity_is_nan.when(t, yes), to_zero = rule.nan_is_zero.when(t, yes);
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
    n.place = n.exponent - *n.gap;
    return n;
}

// Scales of powers of two change no digits.
DigitRuns digit_runs_of(const Terms& t, std::span<const Number> factors) {
    if (factors.size() < 2) return {};
    for (const Number& scale : factors.subspan(2))
        if (t.width(scale.magnitude) > 1) return {};
    const int a = t.width(factors[0].magnitude), b = t.width(factors[1].magnitude);
    const ProductDigits* digits = product_digits(a, b);
    if (digits == nullptr) return {};
    // The zero above the ones is next to a one, or there are two of them: 100, the ones, and a digit below.
    const int inner = std::max(digits->longest(DigitRun::ones_below_10), a + b - 4);
    return {digits->longest(DigitRun::zeros),
            digits->longest(DigitRun::ones),
            inner,
            digits->longest(DigitRun::zeros_below_01),
            digits->longest(DigitRun::lone_zeros_below_01),
            digits->longest(DigitRun::all_ones_below_10)};
}

int sum_of_known(int x, int y) { return x == INT_MAX || y == INT_MAX ? INT_MAX : x + y; }

// Where one factor of two is no subnormal number, or neither. Scales may be as large as they like.
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

// What is common to products with and without normalisation: everything but the choice of the exponent.
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
            // A zero has the smallest exponent of one factor at least.
            p.bounds.zero_exponent =
                std::max(p.bounds.zero_exponent + f.exponent.high, p.exponent.high + f.bounds.zero_exponent);
            p.exponent = add(t, p.exponent, f.exponent);
            p.gap = *p.gap + *f.gap;
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
        // A flushed operand's sign as a zero may differ from the sign it had.
        const Term own = t.ite(f.zero, f.zero_negative, f.sign);
        sign = t.bvxor(sign, own);
        zero_sign = sign;
    }
    p.place = p.exponent - *p.gap;
    p.zero = t.any_of(zeros);
    p.sign = sign;
    p.zero_negative = zero_sign;
    p.zero_mixed = t.truth(false);
    const Term infinite = t.any_of(infinities);
    nans.push_back(t.bvand(t.bvand(infinite, p.zero), t.bvnot(beats_zero)));
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

// The reference exponent of a product, by its normalisation; the value stays as it is.
Number normalised(Terms& t, Number p, const Pick<Normalisation>& how) {
    if (how.all([](Normalisation n) { return n == Normalisation::raw; })) return p;
    const int width = t.width(p.magnitude), gap = *p.gap;
    const Ranged raw = p.exponent;
    p.exponent = choose_ranged(t, how, [&](Normalisation n) {
        if (n == Normalisation::raw) return raw;
        if (n == Normalisation::carry) {
            if (width <= gap + 1) return raw;
            // The significand magnitude/2^gap is ≥ 2 where a bit above the units is set.
            const Term carry = t.bvnot(t.is_zero(t.extract(p.magnitude, gap + 1, width - gap - 1)));
            return add(t, raw, ranged_from(t, carry, 1));
        }
        // floor(log2 |value|) of what is not zero; a zero keeps the exponent of its fields.
        Ranged top = add(t, p.place, floor_log2(t, p.magnitude));
        top.low = p.bounds.last;
        top.high = std::max(p.bounds.below - 1, raw.high);
        return ite(t, p.zero, raw, top);
    });
    p.gap.reset();
    // What is known has to hold of every choice. A number that is not normalised has `gap` places below its exponent;
    // one whose exponent may be one larger for its carry has width − 1 at most, as the normalised one has.
    const bool all_full = how.all([](Normalisation n) { return n == Normalisation::full; });
    p.bounds.digits = all_full ? width - 1 : std::max(gap, width - 1);
    if (all_full) p.bounds.depth = 0;
    // A carry shifts by one place, so that a significand below 4 becomes less than 2; one of fixed point (−2 · −2), or
    // one that is multiplied by a scale with digits of its own, can be 4 or more and stays 2 or more.
    const bool some_raw = !how.all([](Normalisation n) { return n != Normalisation::raw; });
    if (all_full || (!some_raw && width <= gap + 2))
        p.bounds.peak = std::min(p.bounds.peak, width <= 53 ? 2 - std::ldexp(1.0, 1 - width) : 2.0);
    return p;
}

// The exact sum of products in fixed point, at the last place of the smallest product there can be; exponent 0. One
// that is always zero reaches less far than the others.
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
    sum.place = sum.exponent - *sum.gap;
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

// A group that is empty has an exponent of its own, or none; its magnitude is zero, whatever the place.
Number emptied(Terms& t, Number group, const Pick<ZeroExponent>& rule, Term empty) {
    using Kind = ZeroExponent::Kind;
    const Ranged own = group.exponent;
    const Ranged of_empty = choose_ranged(
        t, rule, [&](const ZeroExponent& e) { return e.kind == Kind::constant ? ranged_constant(t, e.value) : own; });
    group.exponent = ite(t, empty, of_empty, own);
    group.place = group.exponent - *group.gap;
    group.bounds.zero_exponent = std::max(group.bounds.zero_exponent, of_empty.high);
    const Term ignored = rule.when(t, [](const ZeroExponent& e) { return e.kind == Kind::ignore; });
    group.has_exponent = t.bvnot(t.bvand(empty, ignored));
    return group;
}

} // namespace

Number product_term(Terms& t, const ProductRule& rule, const Factors& given) {
    Factors factors = given;
    factors.a = flushed(t, with_specials_read(t, factors.a, rule), rule.flush);
    factors.b = flushed(t, with_specials_read(t, factors.b, rule), rule.flush);
    const Number raw =
        multiplied(t, as_list(factors), rule.infinity_beats_zero.when(t, [](bool beats) { return beats; }));
    Number p = normalised(t, raw, rule.normalisation);
    // match: a limit that no product reaches => none
    const auto limit =
        rule.limit.mapped(t, [&](std::optional<int> n) { return n && *n >= raw.bounds.below ? std::nullopt : n; });
    if (limit.all([](const auto& n) { return !n; })) return p;
    const Ranged log = add(t, raw.place, floor_log2(t, raw.magnitude));
    std::vector<Term> reached;
    for (const auto& [n, condition] : limit.options)
        if (n) reached.push_back(t.bvand(condition, at_least(t, log, *n)));
    const Term beyond = t.bvand(t.bvnot(p.zero), t.any_of(reached));
    const Term soft = rule.limit_yields.when(t, [](bool yields) { return yields; });
    const Term up = t.bvand(beyond, t.bvnot(p.sign)), down = t.bvand(beyond, p.sign);
    p.soft_positive = t.bvor(p.soft_positive, t.bvand(up, soft));
    p.soft_negative = t.bvor(p.soft_negative, t.bvand(down, soft));
    p.positive = t.bvor(p.positive, t.bvand(up, t.bvnot(soft)));
    p.negative = t.bvor(p.negative, t.bvand(down, t.bvnot(soft)));
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

    // As a factor, an infinite sum has the sign of the infinity and is not zero.
    const Settled special = settle(t, sum);
    sum.nan = special.nan;
    sum.sign = t.ite(t.bvor(special.positive, special.negative), special.negative, sum.sign);
    sum.zero = t.bvand(sum.zero, t.bvnot(t.bvor(special.positive, special.negative)));

    std::vector<Number> factors = {sum};
    const Factors& shared = elements.front();
    if (shared.scale_a) factors.push_back(*shared.scale_a);
    if (shared.scale_b) factors.push_back(*shared.scale_b);
    Number group = multiplied(t, factors, t.truth(false));
    // If only a scale made it zero, not all products were zero.
    group.zero_mixed = t.bvor(t.bvnot(sum.zero), sum.zero_mixed);
    if (empty.all([](const ZeroExponent& e) { return e.kind == ZeroExponent::Kind::own; })) return group;

    std::vector<Term> no_product;
    for (const Number& p : products) no_product.push_back(p.zero);
    const Term none = t.all_of(no_product);
    std::vector<Term> why = {none};
    for (std::size_t i = 1; i < factors.size(); ++i) why.push_back(factors[i].zero);
    return emptied(t, std::move(group), empty, t.any_of(why));
}

Number accumulator_term(Terms& t, const AccumulatorRule& rule, const Number& value, const Format& from) {
    Number n = flushed(t, value, rule.flush);
    // In a format with smaller exponents a subnormal becomes normal, as far as that format goes. So does the smallest
    // number of fixed point, whose significand is 2, in any format.
    using Emin = std::optional<int>; // nothing: the exponents stay
    const auto emin = rule.as.mapped(t, [&](std::optional<FormatId> as) {
        const int of_as = as ? std::min(format(*as).emin(), from.emin()) : from.emin();
        return as && (of_as != from.emin() || from.is_fixed_point()) ? Emin(of_as) : Emin();
    });
    if (emin.all([](Emin e) { return !e; })) return n;
    Ranged top = add(t, n.place, floor_log2(t, n.magnitude));
    top.low = n.bounds.last;
    top.high = std::max(n.exponent.high, n.bounds.below - 1);
    n.exponent = choose_ranged(t, emin, [&](Emin e) {
        return !e ? value.exponent : ite(t, n.zero, ranged_constant(t, *e), maximum(t, top, *e));
    });
    n.gap.reset();
    n.bounds.depth = n.bounds.digits; // at least: a value is one place of these, or more
    n.bounds.normal_above = INT_MAX;
    return n;
}

} // namespace discern
