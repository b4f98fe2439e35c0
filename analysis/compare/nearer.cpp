// The exact comparisons behind "nearer", as units with exact sums: on numbers by an evaluator, and as terms.
#include "nearer.hpp"

#include "analysis/property/claims.hpp"
#include "analysis/property/numbers.hpp"
#include "encodings/leaves.hpp"
#include "encodings/number/nodes.hpp"

#include <bit>
#include <cmath>
#include <utility>
#include <vector>

namespace discern::compare {

namespace {

double largest(const Format& f) {
    return std::ldexp(static_cast<double>(f.max_significand()), f.emax() - f.mantissa_bits);
}

std::uint64_t as_f64(double x) { return std::bit_cast<std::uint64_t>(x); }

} // namespace

Judge::Judge(const Shape& shape, property::Models::Which which)
    : shape_(shape), exact_(property::exact_sum({.a = FormatId::f64,
                                                 .b = FormatId::f64,
                                                 .c = FormatId::f64,
                                                 .d = FormatId::f64,
                                                 .scale = {},
                                                 .K = shape.K + 2})) {
    if (which == property::Models::Which::evaluator) evaluator_.emplace(exact_);
}

double Judge::sum(const Inputs& inputs, double weight, double one, double other) const {
    std::vector<std::uint64_t> a, b;
    for (const std::uint64_t x : inputs.a) a.push_back(as_f64(to_double(format(shape_.a), x)));
    for (const std::uint64_t x : inputs.b) b.push_back(as_f64(to_double(format(shape_.b), x)));
    for (const double more : {one, other}) { // whose products are exact; a double is not for all weights
        a.push_back(as_f64(more));
        b.push_back(as_f64(weight));
    }
    const Inputs all{a, b, {}, {}, as_f64(to_double(format(shape_.c.value()), inputs.c))};
    return std::bit_cast<double>(evaluator_ ? (*evaluator_)(all) : evaluate_exactly(exact_, all));
}

bool Judge::is_beyond(const Inputs& inputs) const {
    const double most = largest(format(shape_.d));
    return sum(inputs, 1, -most, 0) > 0 || sum(inputs, 1, most, 0) < 0;
}

Nearer Judge::operator()(const Inputs& inputs, std::uint64_t d1, std::uint64_t d2) const {
    const double x = to_double(format(shape_.d), d1), y = to_double(format(shape_.d), d2);
    if (!std::isfinite(x) || !std::isfinite(y)) {
        if (std::isfinite(x) == std::isfinite(y) || is_beyond(inputs)) return Nearer::neither;
        return std::isfinite(x) ? Nearer::first : Nearer::second;
    }
    if (x == y) return Nearer::neither;
    const double sign = sum(inputs, 0.5, -x, -y);
    if (sign == 0) return Nearer::neither;
    return (sign < 0) == (x < y) ? Nearer::first : Nearer::second;
}

double Judge::error_in_ulp(const Inputs& inputs, std::uint64_t d) const {
    const Format& f = format(shape_.d);
    const double result = to_double(f, d), exact = sum(inputs, 1, 0, 0);
    if (!std::isfinite(result) || !std::isfinite(exact)) return INFINITY;
    const int exponent = exact == 0 ? f.emin() : std::max(std::ilogb(exact), f.emin());
    return std::fabs(sum(inputs, 1, -result, 0)) / std::ldexp(1.0, exponent - f.mantissa_bits);
}

Term second_is_nearer(Terms& t, const Shape& shape, const InputTerms& inputs, Term d1, Term d2) {
    const Format& d = format(shape.d);
    const ProductRule plain = {.normalisation = fixed(t, Normalisation::raw),
                               .limit = fixed(t, std::optional<int>()),
                               .oinf_yields = fixed(t, true),
                               .as = fixed(t, std::optional<FormatId>()),
                               .ftz = fixed(t, OperandFlush::none),
                               .infnan = fixed(t, false),
                               .nanzero = fixed(t, false),
                               .infzero = fixed(t, false)};
    const auto constant = [&](double x) {
        const Format& f = format(FormatId::f64);
        return decode_term(t, f, t.constant(f.width, as_f64(x)));
    };
    const auto number = [&](FormatId id, Term x) { return decode_term(t, format(id), x); };
    const auto summand = [&](const Number& x, const Number& y) {
        return Summand{product_term(t, plain, {x, y, {}, {}}), exactly(t), false};
    };
    std::vector<Summand> sum;
    for (std::size_t k = 0; k < inputs.a.size(); ++k)
        sum.push_back(summand(number(shape.a, inputs.a[k]), number(shape.b, inputs.b[k])));
    sum.push_back(summand(number(shape.c.value(), inputs.c.value()), constant(1)));
    const auto with = [&](std::vector<Summand> more) {
        more.insert(more.end(), sum.begin(), sum.end());
        return fuse_term(t, std::move(more), wide_and_free(t), nothing_counts).sum;
    };
    // S − d1/2 − d2/2
    const Number half = constant(-0.5);
    const Number twice = with({summand(number(shape.d, d1), half), summand(number(shape.d, d2), half)});
    const Term below = t.bvand(t.bvnot(twice.zero), twice.sign),
               above = t.bvand(t.bvnot(twice.zero), t.bvnot(twice.sign));
    const Term place1 = property::place_of(t, d, d1), place2 = property::place_of(t, d, d2);
    const Term nearer = t.bvor(t.bvand(t.bvslt(place1, place2), above), t.bvand(t.bvslt(place2, place1), below));
    const Term finite1 = property::is_finite(t, d, d1), finite2 = property::is_finite(t, d, d2);
    Term lost = t.bvand(t.bvnot(finite1), finite2);
    if (lost != t.truth(false)) {
        const Number one = constant(1);
        const Number over = with({summand(constant(-largest(d)), one)}),
                     under = with({summand(constant(largest(d)), one)});
        lost = t.bvand(lost, t.bvnot(t.bvor(t.bvand(t.bvnot(over.zero), t.bvnot(over.sign)),
                                            t.bvand(t.bvnot(under.zero), under.sign))));
    }
    return t.bvor(t.bvand(t.bvand(finite1, finite2), nearer), lost);
}

} // namespace discern::compare
