// Claims about a unit and the exact result. That result is a unit too: the sum of all products and c, exact, rounded
// once; downwards and upwards it is the two neighbours of the exact number, or the number itself.
#include "claims.hpp"
#include "numbers.hpp"
#include "proposals.hpp"

#include "models/stimulus/stimulus.hpp"

#include <algorithm>
#include <cmath>

namespace discern::property {

namespace {

/// Indices of a claim's units.
enum : std::size_t { as_it_is, rounded_down, rounded_up, nearest, nearest_away, nearest_zero, all_units };

/// The unit and exact ones, `places` of them in all.
std::vector<Unit> with_neighbours(const Unit& unit, std::size_t places) {
    std::vector<Unit> units = {unit};
    for (const Rounding mode : {Rounding::rd, Rounding::ru, Rounding::rne, Rounding::rna, Rounding::rnz})
        if (units.size() < places) units.push_back(exact_unit(unit, plain_rounding(unit, mode)));
    return units;
}

/// Whether the exact result is beyond the largest number, whichever way it is rounded; in formats without infinity
/// this is not known, as the largest number stands for all larger ones.
bool is_beyond(const Format& d, std::uint64_t below, std::uint64_t above) {
    return is_infinite(d, below) || is_infinite(d, above);
}

Term is_beyond(Terms& t, const Format& d, Term below, Term above) {
    return t.bvor(is_infinite(t, d, below), is_infinite(t, d, above));
}

/// A claim about d and results of exact units, of finite inputs.
/// @param violated        of the results of `units`
/// @param terms_violated  the same
template <typename TermsViolated, typename Violated>
Claims of_results(const std::vector<Unit>& units, TermsViolated terms_violated, Violated violated) {
    Claim claim;
    claim.state = [=](Terms& t, const InputTerms& x) {
        Statement s;
        std::vector<Term> results;
        for (const Unit& unit : units) results.push_back(encode(t, unit, x));
        s.first = results[0];
        s.second = results[1];
        s.assume = allowed(t, finite_inputs, units[0], x);
        s.violated = terms_violated(t, results);
        return s;
    };
    claim.violated = [=](const Models& models, const Vector& x, const Vector&) {
        if (!allows(finite_inputs, models.unit(0), x.inputs())) return false;
        std::vector<std::uint64_t> results;
        for (std::size_t i = 0; i < units.size(); ++i) results.push_back(models(i, x));
        return violated(results);
    };
    return {units, 0, {claim}};
}

/// The distance of d, in numbers of the format, from the neighbours of the exact result.
std::int64_t steps(const Format& f, std::uint64_t d, std::uint64_t below, std::uint64_t above) {
    return std::max(place_of(f, d) - place_of(f, below), place_of(f, above) - place_of(f, d));
}

} // namespace

const Round& last_rounding(const Unit& unit) { return std::get<Round>(unit.tree.kind); }

Round plain_rounding(const Unit& unit, Rounding mode) {
    const bool infinite = format(unit.d).has_infinity();
    return {.format = unit.d, .mode = mode, .overflow = infinite ? Overflow::ieee : Overflow::largest, .child = {}};
}

Unit exact_unit(const Unit& unit, const Round& rounding) {
    Unit exact = unit_of_shape(shape_of(unit));
    Round round = rounding;
    round.child = std::get<Round>(exact.tree.kind).child;
    exact.tree = Node{std::move(round)};
    return exact;
}

Unit exact_sum(Shape shape) {
    shape.d = FormatId::f64;
    Unit unit = unit_of_shape(shape);
    auto& round = std::get<Round>(unit.tree.kind);
    round.mode = Rounding::odd;
    round.overflow = Overflow::infinity;
    validate(unit);
    return unit;
}

Claims faithful(const Unit& unit, Scope) {
    const Format& d = format(unit.d);
    return of_results(
        with_neighbours(unit, nearest),
        [&d](Terms& t, const std::vector<Term>& r) {
            return t.bvnot(t.bvor(alike(t, d, r[as_it_is], r[rounded_down], Zeros::alike),
                                  alike(t, d, r[as_it_is], r[rounded_up], Zeros::alike)));
        },
        [&d](const std::vector<std::uint64_t>& r) {
            return !alike(d, r[as_it_is], r[rounded_down], Zeros::alike) &&
                   !alike(d, r[as_it_is], r[rounded_up], Zeros::alike);
        });
}

Claims no_false_overflow(const Unit& unit, Scope) {
    const Format& d = format(unit.d);
    Claims claims = of_results(
        with_neighbours(unit, nearest),
        [&d](Terms& t, const std::vector<Term>& r) {
            return t.bvand(t.bvnot(is_finite(t, d, r[as_it_is])),
                           t.bvnot(is_beyond(t, d, r[rounded_down], r[rounded_up])));
        },
        [&d](const std::vector<std::uint64_t>& r) {
            return !is_finite(d, r[as_it_is]) && !is_beyond(d, r[rounded_down], r[rounded_up]);
        });
    claims.all.front().propose = [=](Vector& x, Vector&, Random& random) {
        if (random.one_in(2)) propose_large(unit, x, random);
    };
    return claims;
}

Claims specials(const Unit& unit, Scope) {
    Claim claim;
    claim.state = [=](Terms& t, const InputTerms& x) {
        const Format& d = format(unit.d);
        Statement s;
        s.first = s.second = encode(t, unit, x);
        const SpecialTerms special = special_of(t, unit, x);
        const Term infinite = is_infinite(t, d, s.first), nan = is_nan(t, d, s.first),
                   sign = t.bit(s.first, d.width - 1);
        const Term wrong[] = {t.bvxor(special.nan, nan),
                              t.bvand(special.plus, t.bvnot(t.bvand(infinite, t.bvnot(sign)))),
                              t.bvand(special.minus, t.bvnot(t.bvand(infinite, sign)))};
        s.violated = t.any_of(wrong);
        s.assume = t.truth(true);
        return s;
    };
    claim.violated = [=](const Models& models, const Vector& x, const Vector&) {
        const Format& f = format(unit.d);
        const std::uint64_t d = models(0, x);
        const Special special = special_of(unit, x.inputs());
        if ((special == Special::nan) != is_nan(f, d)) return true;
        const bool is_minus = (d >> (f.width - 1)) != 0;
        if (special == Special::plus_infinity) return !is_infinite(f, d) || is_minus;
        return special == Special::minus_infinity && (!is_infinite(f, d) || !is_minus);
    };
    claim.propose = [=](Vector& x, Vector&, Random& random) {
        if (random.one_in(2)) propose_infinities(unit, x, random);
    };
    return {{unit}, 0, {claim}};
}

Claims exact_region(const Unit& unit, int n) {
    const Format& d = format(unit.d);
    const std::vector<Unit> units = {unit, exact_unit(unit, last_rounding(unit))};
    Claims claims = of_results(
        units, [&d](Terms& t, const std::vector<Term>& r) { return t.bvnot(alike(t, d, r[0], r[1], Zeros::alike)); },
        [&d](const std::vector<std::uint64_t>& r) { return !alike(d, r[0], r[1], Zeros::alike); });
    Claim& claim = claims.all.front();
    const Claim whole = claim;
    claim.state = [=](Terms& t, const InputTerms& x) {
        Statement s = whole.state(t, x);
        const ExponentsWithin within = exponents_within(t, unit, x, n);
        s.assume = t.bvand(s.assume, within.condition);
        s.more.push_back(within.largest);
        return s;
    };
    claim.violated = [=](const Models& models, const Vector& x, const Vector& y) {
        return allows(finite_inputs, unit, x.inputs()) && exponents_within(unit, x.inputs(), n) &&
               whole.violated(models, x, y);
    };
    claim.propose = [=](Vector& x, Vector&, Random& random) {
        const int way = random.below(5);
        (way < 2 ? propose_within : way < 4 ? propose_tail : propose_at_floor)(unit, n, x, random);
    };
    return claims;
}

double ulps_off(const Models& models, const Vector& v) {
    const Unit& unit = models.unit(as_it_is);
    const Format &d = format(unit.d), &f64 = format(FormatId::f64);
    const std::uint64_t result = models(as_it_is, v);
    const double sum = to_double(f64, models(1, v));
    const double most = to_double(d, pack(d, {.significand = d.max_significand(), .exponent = d.emax()}));
    const auto exponents = exponents_of(unit, v.inputs());
    if (!exponents || !is_finite(d, result) || std::fabs(sum) > most) return 0;
    const int lsb = std::max(exponents->most, d.emin()) - d.mantissa_bits;
    return std::ldexp(std::fabs(to_double(d, result) - sum), -lsb);
}

Claims within_ulps(const Unit& unit, double k) {
    Claim claim;
    claim.violated = [=](const Models& models, const Vector& x, const Vector&) {
        return allows(finite_inputs, unit, x.inputs()) && ulps_off(models, x) > k;
    };
    claim.propose = [=](Vector& x, Vector&, Random& random) {
        const int way = random.below(4);
        if (way == 0) propose_within(unit, random.between(0, 30), x, random);
        if (way == 1) propose_truncated(unit, x, random);
    };
    return {{unit, exact_sum(shape_of(unit))}, 0, {claim}};
}

std::optional<std::int64_t> error_of(const Models& models, const Vector& v) {
    const Format& f = format(models.unit(0).d);
    const std::uint64_t d = models(as_it_is, v), below = models(rounded_down, v), above = models(rounded_up, v);
    if (is_beyond(f, below, above)) return half_ulp; // no error that could be counted
    if (!is_finite(f, d)) return std::nullopt;
    for (const std::size_t mode : {nearest, nearest_away, nearest_zero}) // both neighbours of a tie
        if (alike(f, d, models(mode, v), Zeros::alike)) return half_ulp;
    return std::max<std::int64_t>(steps(f, d, below, above), 1);
}

Claims error_within(const Unit& unit, std::int64_t k) {
    const Format& d = format(unit.d);
    Claims claims{with_neighbours(unit, all_units), 0, {}};
    Claim claim;
    claim.state = [=, &d, units = claims.units](Terms& t, const InputTerms& x) {
        Statement s;
        std::vector<Term> r;
        for (const Unit& one : units) r.push_back(encode(t, one, x));
        s.first = r[as_it_is];
        s.second = r[nearest];
        s.assume =
            t.bvand(allowed(t, finite_inputs, unit, x), t.bvnot(is_beyond(t, d, r[rounded_down], r[rounded_up])));
        std::vector<Term> of_modes;
        for (const std::size_t mode : {nearest, nearest_away, nearest_zero})
            of_modes.push_back(alike(t, d, r[as_it_is], r[mode], Zeros::alike));
        s.violated = t.bvnot(t.any_of(of_modes));
        if (k == half_ulp) return s;
        const Term own = place_of(t, d, r[as_it_is]);
        // No two numbers of a narrow format are as far apart as a large k; and the difference of positions would be
        // negative.
        const std::int64_t farthest = std::int64_t{1} << std::min(d.width, 62);
        const Term far = t.constant(ordinal_width(d), static_cast<std::uint64_t>(std::min(k, farthest)));
        const Term too_high = t.bvslt(far, t.bvsub(own, place_of(t, d, r[rounded_down]))),
                   too_low = t.bvslt(far, t.bvsub(place_of(t, d, r[rounded_up]), own));
        const Term wrong = t.bvor(t.bvnot(is_finite(t, d, r[as_it_is])), t.bvor(too_high, too_low));
        s.violated = t.bvand(s.violated, wrong);
        return s;
    };
    claim.violated = [=](const Models& models, const Vector& x, const Vector&) {
        if (!allows(finite_inputs, unit, x.inputs())) return false;
        const auto error = error_of(models, x);
        return !error || *error > k;
    };
    claim.propose = [=](Vector& x, Vector&, Random& random) {
        if (random.one_in(2))
            (random.one_in(2) ? propose_within : propose_tail)(unit, random.between(0, 30), x, random);
    };
    claims.all.push_back(std::move(claim));
    return claims;
}

} // namespace discern::property
