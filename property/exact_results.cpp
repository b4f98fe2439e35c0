// Claims about a unit and the exact result. That result is a unit too: the sum of all products and c, exact, rounded
// once; downwards and upwards it is the two neighbours of the exact number, or the number itself.
#include "claims.hpp"
#include "numbers.hpp"
#include "placing.hpp"

#include "stimulus/stimulus.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace discern::property {

namespace {

/// The places of a claim's units.
enum : std::size_t { as_it_is, down, up, nearest, nearest_away, all_units };

/// The unit and exact ones, up to that place.
std::vector<Unit> with_neighbours(const Unit& unit, std::size_t places) {
    std::vector<Unit> units = {unit};
    for (const Rounding mode : {Rounding::rd, Rounding::ru, Rounding::rne, Rounding::rna})
        if (units.size() < places) units.push_back(exact_unit(unit, plain_rounding(unit, mode)));
    return units;
}

/// Whether the exact result is beyond the largest number, whichever way it is rounded; in formats without infinity
/// that cannot be told, and the largest number stands for all.
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

Fraction some_fraction(Random& random) { return static_cast<Fraction>(random.below(5)); }

/// The largest exponent of terms: about one, about the last place of d, or any that terms can have.
/// @param with_c  whether c is one of them
int some_top(const Unit& unit, Placing& placing, bool with_c, Random& random) {
    const Format &d = format(unit.d), &c = format(unit.c.value_or(unit.d));
    const bool small = random.one_in(3);
    const int near = small ? d.last_place() + random.between(-10, 10) : random.between(-2, 2);
    placing.scale_to(random.one_in(2) ? near + random.between(0, 20) : random.between(-60, 60));
    if (random.one_in(2)) return near;
    const int low = placing.lowest(), high = placing.highest();
    if (!with_c || c.emin() > high || c.emax() < low) return random.between(low, high);
    return random.between(std::max(low, c.emin()), std::min(high, c.emax()));
}

/// Terms whose exponents lie within n of each other.
void propose_within(const Unit& unit, int n, Vector& x, Random& random) {
    Placing placing(unit, x, random);
    const bool with_c = unit.c && !random.one_in(3);
    const int top = some_top(unit, placing, with_c, random);
    const int some = random.between(1, 8); // of eight terms
    for (std::size_t k = 0; k < x.a.size(); ++k)
        if (random.below(8) < some)
            placing.product(k, random.one_in(2), top - random.between(0, n), some_fraction(random),
                            some_fraction(random));
    if (with_c) placing.c(random.one_in(2), top - random.between(0, n), some_fraction(random));
}

/// Terms within n of each other that add up to a number of d's format, or to the middle of two, and one last place of a
/// term far below: what cancels the rest of that term is of its own size.
void propose_tail(const Unit& unit, int n, Vector& x, Random& random) {
    using enum Fraction;
    Placing placing(unit, x, random);
    const bool tail_of_c = unit.c && random.one_in(2);
    const int top = some_top(unit, placing, tail_of_c, random), tail = top - random.between(std::max(0, n - 2), n);
    const bool negative = random.one_in(2), sign = random.one_in(2);
    const std::vector<std::size_t> elements = placing.elements();
    std::size_t next = 0;
    const auto put = [&](bool minus, int exponent, Fraction a, Fraction b) {
        if (next < elements.size()) placing.product(elements[next++], minus, exponent, a, b);
    };
    if (tail_of_c) {
        placing.c(negative, tail, last);
        if (random.one_in(2)) put(!negative, tail, zeros, zeros);
    } else {
        put(negative, tail, last, last);
        const int rest = random.below(3);
        if (rest == 1) put(!negative, tail, twice, zeros); // (1 + u)(1 + u) − (1 + 2u) = u²
        if (rest == 2) {                                   // (1 + u)(1 + v) − (1 + u) − (1 + v) + 1 = uv
            put(!negative, tail, last, zeros);
            put(!negative, tail, zeros, last);
            put(negative, tail, zeros, zeros);
        }
    }
    const int way = random.below(4), half = format(unit.d).mantissa_bits + 1;
    if (way == 0) { // the other terms: some of about one size; or a power, and half of its last place
        for (int i = random.between(1, 32); i > 0; --i)
            put(sign, top - random.between(0, std::min(n, 5)), zeros, random.one_in(2) ? zeros : last);
    } else if (way == 1) {
        put(sign, top - 1, zeros, zeros);
        put(sign, top - 1, zeros, zeros);
    } else {
        put(sign, top, zeros, zeros);
        if (way == 2 && half <= n) put(sign, top - half, zeros, zeros);
    }
    if (!tail_of_c && random.one_in(2)) placing.c(random.one_in(2), top - random.between(0, n), some_fraction(random));
}

/// Products within n of each other, of which a floor cuts the last digits, and no c: where there is no floor, any
/// terms. Their sum is to be about some last places of d, so that most of them are there, and have one sign.
void propose_at_floor(const Unit& unit, int n, Vector& x, Random& random) {
    Placing placing(unit, x, random);
    const auto place = placing.some_place_of_floor();
    if (!place) return propose_within(unit, n, x, random);
    const int digits = format(unit.a).mantissa_bits + format(unit.b).mantissa_bits;
    const int top = *place + random.between(0, digits + std::min(n, 8));
    placing.scale_to(top + random.between(0, 10));
    const bool negative = random.one_in(2), mixed = random.one_in(4);
    int count = random.between(unit.K / 2, unit.K);
    for (const std::size_t k : placing.elements())
        if (count-- > 0)
            placing.product(k, mixed ? random.one_in(2) : negative, top - random.between(0, n), Fraction::any,
                            random.one_in(2) ? Fraction::any : some_fraction(random));
}

/// Terms of one sign: one large one, and others that are cut as far as can be, below it or each as large.
void propose_cut(const Unit& unit, Vector& x, Random& random) {
    Placing placing(unit, x, random);
    const int top = some_top(unit, placing, false, random), low = top - placing.some_F() - random.between(-1, 3);
    const bool negative = random.one_in(2), all_large = random.one_in(2);
    bool first = true;
    for (const std::size_t k : placing.elements()) {
        if (first || all_large)
            placing.product(k, negative, top, random.one_in(2) ? Fraction::ones : some_fraction(random));
        else
            placing.product(k, negative, low, Fraction::ones);
        first = false;
    }
    if (random.one_in(2)) placing.c(negative, random.one_in(2) ? top : low + 1, Fraction::ones);
}

/// Sums about the largest number: of terms below it that are cut, of two that cancel and lift E, or of blocks of which
/// the first overflows and the others bring it back.
void propose_large(const Unit& unit, Vector& x, Random& random) {
    Placing placing(unit, x, random);
    const Format& d = format(unit.d);
    // The largest products are as large as d's largest number, or as its last place.
    placing.scale_to(d.emax() + random.between(0, 30) - (random.one_in(2) ? d.mantissa_bits + 12 : 0));
    const bool negative = random.one_in(2);
    const int over = d.emax() + 1;
    if (unit.c && random.one_in(2)) placing.c(negative, d.emax(), Fraction::ones);
    if (unit.blocks() > 1 && random.one_in(2)) {
        const int turn = random.between(1, unit.blocks() - 1), many = random.between(1, unit.L);
        const int exponent = std::min(placing.highest(), over) - random.between(0, 6);
        for (int block = 0; block < unit.blocks(); ++block) {
            int left = many;
            for (const std::size_t k : placing.elements(block))
                if (left-- > 0) placing.product(k, negative == (block < turn), exponent, Fraction::zeros);
        }
        if (unit.c) placing.c(!negative, d.emax(), random.one_in(2) ? Fraction::ones : Fraction::zeros);
        return;
    }
    const std::vector<std::size_t> elements = placing.elements();
    std::size_t next = 0;
    const auto put = [&](bool minus, int exponent, Fraction fraction) {
        if (next < elements.size()) placing.product(elements[next++], minus, exponent, fraction);
    };
    int E = d.emax();
    if (random.one_in(2) && placing.highest() > d.emax()) {
        E = random.between(d.emax(), placing.highest());
        put(false, E, Fraction::zeros);
        put(true, E, Fraction::zeros);
    }
    const int parts = random.between(0, 2);
    for (int i = 0; i < 1 << parts; ++i) put(negative, over - parts, Fraction::zeros);
    if (random.one_in(2)) put(negative, d.emax() - d.mantissa_bits - random.between(-2, 2), Fraction::zeros);
    const int low = E - placing.some_F() - random.between(1, 4);
    const Fraction fraction = random.one_in(2) ? Fraction::ones : Fraction::any;
    for (int left = random.between(1, unit.K); left > 0; --left) put(!negative, low, fraction);
}

/// Results of blocks that overflow, and an infinity of the other sign later on.
void propose_infinities(const Unit& unit, Vector& x, Random& random) {
    propose_large(unit, x, random);
    const auto k = static_cast<std::size_t>(random.below(unit.K));
    const Format &a = format(unit.a), &b = format(unit.b);
    const Format& infinite = a.has_infinity() ? a : b;
    if (!infinite.has_infinity() || random.one_in(4)) return;
    const std::uint64_t infinity =
        pack(infinite, {.number_class = NumberClass::infinite, .negative = infinite.is_signed && random.one_in(2)});
    (a.has_infinity() ? x.a : x.b)[k] = infinity;
    const Format& other = a.has_infinity() ? b : a;
    (a.has_infinity() ? x.b : x.a)[k] = random.one_in(3) ? pattern_at_place(other, 1) : one(other);
}

/// How far the place of d is from those of the neighbours of the exact result.
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

Claims faithful(const Unit& unit, Scope) {
    const Format& d = format(unit.d);
    return of_results(
        with_neighbours(unit, nearest),
        [&d](Terms& t, const std::vector<Term>& r) {
            return t.bvnot(
                t.bvor(alike(t, d, r[as_it_is], r[down], Zeros::alike), alike(t, d, r[as_it_is], r[up], Zeros::alike)));
        },
        [&d](const std::vector<std::uint64_t>& r) {
            return !alike(d, r[as_it_is], r[down], Zeros::alike) && !alike(d, r[as_it_is], r[up], Zeros::alike);
        });
}

Claims no_false_overflow(const Unit& unit, Scope) {
    const Format& d = format(unit.d);
    Claims claims = of_results(
        with_neighbours(unit, nearest),
        [&d](Terms& t, const std::vector<Term>& r) {
            return t.bvand(t.bvnot(is_finite(t, d, r[as_it_is])), t.bvnot(is_beyond(t, d, r[down], r[up])));
        },
        [&d](const std::vector<std::uint64_t>& r) {
            return !is_finite(d, r[as_it_is]) && !is_beyond(d, r[down], r[up]);
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

double last_places_off(const Models& models, const Vector& v) {
    const Unit& unit = models.unit(as_it_is);
    const Format &d = format(unit.d), &f64 = format(FormatId::f64);
    const std::uint64_t result = models(as_it_is, v);
    const double sum = to_double(f64, models(1, v));
    const double most = to_double(d, pack(d, {.significand = d.max_significand(), .exponent = d.emax()}));
    const auto exponents = exponents_of(unit, v.inputs());
    if (!exponents || !is_finite(d, result) || std::fabs(sum) > most) return 0;
    const int place = std::max(exponents->most, d.emin()) - d.mantissa_bits;
    return std::ldexp(std::fabs(to_double(d, result) - sum), -place);
}

Claims last_places_within(const Unit& unit, double k) {
    Unit exact = exact_unit(unit, last_rounding(unit));
    exact.d = FormatId::f64;
    exact.nan = {};
    auto& round = std::get<Round>(exact.tree.kind);
    Round to_f64;
    to_f64.format = FormatId::f64;
    to_f64.child = round.child;
    exact.tree = Node{std::move(to_f64)};
    Claim claim;
    claim.violated = [=](const Models& models, const Vector& x, const Vector&) {
        return allows(finite_inputs, unit, x.inputs()) && last_places_off(models, x) > k;
    };
    claim.propose = [=](Vector& x, Vector&, Random& random) {
        const int way = random.below(4);
        if (way == 0) propose_within(unit, random.between(0, 30), x, random);
        if (way == 1) propose_cut(unit, x, random);
    };
    return {{unit, exact}, 0, {claim}};
}

std::optional<std::int64_t> error_of(const Models& models, const Vector& v) {
    const Format& f = format(models.unit(0).d);
    const std::uint64_t d = models(as_it_is, v), below = models(down, v), above = models(up, v);
    if (is_beyond(f, below, above)) return half_ulp; // no error that could be counted
    if (!is_finite(f, d)) return std::nullopt;
    if (alike(f, d, models(nearest, v), Zeros::alike) || alike(f, d, models(nearest_away, v), Zeros::alike))
        return half_ulp;
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
        s.assume = t.bvand(allowed(t, finite_inputs, unit, x), t.bvnot(is_beyond(t, d, r[down], r[up])));
        const Term is_nearest = t.bvor(alike(t, d, r[as_it_is], r[nearest], Zeros::alike),
                                       alike(t, d, r[as_it_is], r[nearest_away], Zeros::alike));
        s.violated = t.bvnot(is_nearest);
        if (k == half_ulp) return s;
        const Term own = place_of(t, d, r[as_it_is]);
        const Term far = t.constant(place_width(d), static_cast<std::uint64_t>(k));
        const Term too_high = t.bvslt(far, t.bvsub(own, place_of(t, d, r[down]))),
                   too_low = t.bvslt(far, t.bvsub(place_of(t, d, r[up]), own));
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
