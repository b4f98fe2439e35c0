// Claims about one product of a unit: that it is larger, or that one of its factors is zero.
#include "claims.hpp"
#include "elements.hpp"
#include "numbers.hpp"
#include "placing.hpp"

#include "encodings/number/number.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace discern::property {

namespace {

/// The next larger number; none above the largest one.
std::uint64_t larger(const Format& f, std::uint64_t bits) {
    const std::int64_t lsb = place_of(f, bits) + 1;
    const std::uint64_t next = pattern_at_place(f, lsb);
    return next <= f.mask() && is_finite(f, next) && place_of(f, next) == lsb ? next : bits;
}

/// (2^n − 1)(2^n + 1) and 2^2n: nearly the same, and the exponents of the factors have another sum. The power may have
/// a subnormal factor, whose exponent is larger still.
void propose_power(const Unit& unit, std::size_t k, Vector& x, Vector& y, Random& random) {
    const Format &a = format(unit.a), &b = format(unit.b);
    const int n = std::max(1, std::min(a.mantissa_bits, b.mantissa_bits) - (random.one_in(3) ? 1 : 0));
    const bool negative = random.one_in(2), subnormal = random.one_in(3);
    const int place_a = decode(a, x.a[k]).exponent - n, place_b = decode(b, x.b[k]).exponent - n;
    const std::uint64_t power = 1ull << n;
    x.a[k] = number_at(a, negative, power - 1, place_a);
    x.b[k] = number_at(b, false, power + 1, place_b);
    y = x;
    const int shift = subnormal ? std::max(0, place_a + n - a.emin() + random.between(1, a.mantissa_bits)) : 0;
    y.a[k] = number_at(a, negative, 1, place_a + n - shift);
    y.b[k] = number_at(b, false, 1, place_b + n + shift);
}

/// Nearly one product in two ways, whose factors' exponents need not have the same sum: m·2^i times n·2^j, and mn·2^i
/// times 2^j, of which one is a little larger.
void propose_equal(const Unit& unit, std::size_t k, Vector& x, Vector& y, Random& random) {
    const Format &a = format(unit.a), &b = format(unit.b);
    const int bits = (a.mantissa_bits + 1) / 2;
    const auto m = static_cast<std::uint64_t>(random.between(1, (1 << bits) - 1)),
               n = static_cast<std::uint64_t>(random.between(1, (1 << std::min(bits, b.mantissa_bits + 1)) - 1));
    const Decoded of_a = decode(a, x.a[k]), of_b = decode(b, x.b[k]);
    const int i = of_a.exponent - bits + random.between(-1, 2), j = of_b.exponent + random.between(-1, 2);
    x.a[k] = number_at(a, of_a.negative, m, i);
    x.b[k] = number_at(b, of_b.negative, n, j);
    y = x;
    y.a[k] = number_at(a, of_a.negative, m * n, i);
    y.b[k] = number_at(b, of_b.negative, 1, j);
    Vector& one = random.one_in(2) ? x : y;
    one.a[k] = larger(a, one.a[k]);
}

void propose_any(const Unit& unit, std::size_t k, Vector& x, Vector& y, Random& random) {
    const Format &a = format(unit.a), &b = format(unit.b);
    y = x;
    if (random.one_in(2)) {
        y.a[k] = larger(a, x.a[k]);
    } else {
        y.a[k] = random.bits() & a.mask();
        if (random.one_in(2)) y.b[k] = random.bits() & b.mask();
    }
}

/// A product with a subnormal factor, whose exponent is larger than what it is worth, and the nearest one of normal
/// factors among some that is not the same. Nothing where exponents do not reach.
void propose_nearest(const Unit& unit, std::size_t k, Vector& x, Vector& y, Random& random) {
    const Format &a = format(unit.a), &b = format(unit.b);
    if (!a.has_subnormals() || !b.has_subnormals() || a.mantissa_bits == 0 || b.mantissa_bits == 0) return;
    const bool of_a = random.one_in(2), negative = random.one_in(2);
    const Format &f = of_a ? a : b, &g = of_a ? b : a; // the subnormal factor is one of f
    const auto significand = [&](const Format& of) {
        return (1ull << of.mantissa_bits) + (random.bits() & ((1ull << of.mantissa_bits) - 1));
    };
    const std::uint64_t small = 1ull << random.below(f.mantissa_bits);
    const std::uint64_t m = random.one_in(2) ? small : small + (random.bits() & (small - 1)), n = significand(g);
    const int exponent = g.emax() - random.between(1, 8), lsb = f.lsb() + exponent - g.mantissa_bits;
    const int shift = f.mantissa_bits + 1 - static_cast<int>(std::bit_width(m)) + random.below(2);
    const std::uint64_t wanted = (m * n) << shift; // in units of the last bit of a product of normal factors
    std::uint64_t best = ~0ull, best_m = 0, best_n = 0;
    for (int i = 0; i < 64; ++i) {
        const std::uint64_t s = significand(f), low = wanted / s;
        for (const std::uint64_t t : {low, low + 1}) {
            const std::uint64_t off = s * t > wanted ? s * t - wanted : wanted - s * t;
            if (off == 0 || off >= best || t >> g.mantissa_bits != 1) continue;
            best = off;
            best_m = s;
            best_n = t;
        }
    }
    const int sum = lsb - shift + f.mantissa_bits + g.mantissa_bits; // of the exponents of normal factors
    const int low = std::max(f.emin(), sum - g.emax() + 1), high = std::min(f.emax() - 1, sum - g.emin());
    if (best_m == 0 || low > high) return;
    const int of_f = random.between(low, high);
    const auto put = [&](Vector& v, std::uint64_t one, std::uint64_t other) {
        (of_a ? v.a : v.b)[k] = one;
        (of_a ? v.b : v.a)[k] = other;
    };
    put(x, number_at(f, negative && f.is_signed, m, f.lsb()), number_at(g, false, n, exponent - g.mantissa_bits));
    y = x;
    put(y, number_at(f, negative && f.is_signed, best_m, of_f - f.mantissa_bits),
        number_at(g, false, best_n, sum - of_f - g.mantissa_bits));
}

/// A power of two, or a little less, whose factors' exponents have a higher sum; a term that cancels it; and other
/// products, which are truncated if E is that sum, each by nearly an ulp of the sum with the lower E.
void propose_hidden(const Unit& unit, std::size_t k, Vector& x, Vector& y, Random& random) {
    Placing placing(unit, x, random);
    placing.scale_to(random.between(-40, 40));
    placing.product(k, any_sign, placing.highest() - random.between(0, 33));
    y = x;
    static constexpr decltype(&propose_any) ways[] = {propose_power, propose_nearest, propose_equal, propose_nearest};
    ways[random.below(4)](unit, k, x, y, random);
    const auto exponent = [&](const Vector& v) {
        return decode(format(unit.a), v.a[k]).exponent + decode(format(unit.b), v.b[k]).exponent;
    };
    const int scales = placing.highest() - format(unit.a).emax() - format(unit.b).emax();
    const int top = std::max(exponent(x), exponent(y)) + scales, F = placing.some_F();
    const bool negative = random.one_in(2);
    const int below = random.between(1, 4);
    bool cancelled = random.one_in(3);
    for (const std::size_t other : placing.elements(block_of(unit, k))) {
        if (other == k) continue;
        if (!cancelled) {
            x.a[other] = negated(format(unit.a), x.a[k]);
            x.b[other] = x.b[k];
            cancelled = true;
        } else {
            placing.product(other, negative, top - F - below, random.one_in(2) ? Fraction::ones : Fraction::any);
        }
    }
    if (random.one_in(3)) placing.c(any_sign, top - F + random.between(-4, 24), Fraction::any);
    const std::uint64_t of_a = y.a[k], of_b = y.b[k];
    y = x;
    y.a[k] = of_a;
    y.b[k] = of_b;
}

/// The result of a block goes from just below a power of two to that power; products of a later block are then
/// truncated.
void propose_step(const Unit& unit, std::size_t k, Vector& x, Vector& y, Random& random) {
    Placing placing(unit, x, random);
    placing.scale_to(random.between(-40, 40));
    const bool negative = random.one_in(2);
    const int bits = format(unit.d).mantissa_bits, F = placing.some_F();
    const int least = placing.lowest() + std::max(F, bits); // so that products have bits that are truncated
    const int top = random.between(least, std::max(least, placing.highest() + 4));
    const int block = block_of(unit, k);
    if (unit.c && unit.place == AccumulatorPlace::chained && random.one_in(2)) {
        placing.c(negative, top - 1, Fraction::ones);
    } else {
        std::size_t used = 0;
        for (const std::size_t other : placing.elements(block)) {
            if (other == k || used == 2) continue;
            placing.product(other, negative != (used == 1), used == 0 ? top : top - bits - 1);
            ++used;
        }
    }
    const int below = random.between(0, 2);
    for (int later = block + 1; later < unit.blocks(); ++later)
        for (const std::size_t other : placing.elements(later))
            placing.product(other, negative, top - 1 - F - below, random.one_in(2) ? Fraction::ones : Fraction::zeros);
    Vector without = x;
    placing.product(k, negative, top - bits - 1 + random.between(0, 1));
    y = std::exchange(x, std::move(without));
}

void propose_larger(const Unit& unit, std::size_t k, Vector& x, Vector& y, Random& random) {
    const Format &a = format(unit.a), &b = format(unit.b);
    static constexpr decltype(&propose_any) ways[] = {propose_power,  propose_power,  propose_equal, propose_any,
                                                      propose_hidden, propose_hidden, propose_step};
    ways[random.below(unit.blocks() > 1 ? 7 : 6)](unit, k, x, y, random);
    const bool finite = is_finite(a, x.a[k]) && is_finite(b, x.b[k]) && is_finite(a, y.a[k]) && is_finite(b, y.b[k]);
    if (finite && is_larger_product(a, b, y.a[k], y.b[k], x.a[k], x.b[k])) std::swap(x, y);
}

Claim larger_product(const Unit& unit, std::size_t k, Scope scope) {
    Claim claim;
    claim.what = sentence("product ", k);
    claim.state = [=](Terms& t, const InputTerms& x) {
        const Format &a = format(unit.a), &b = format(unit.b), &d = format(unit.d);
        Statement s;
        InputTerms y = x;
        y.a[k] = t.variable("larger a", a.width);
        y.b[k] = t.variable("larger b", b.width);
        s.more = {y.a[k], y.b[k]};
        Term grows = is_larger_product(t, a, b, x.a[k], x.b[k], y.a[k], y.b[k]);
        if (scope == Scope::block) // of later blocks only c is another
            grows = t.bvor(grows, t.bvand(t.eq(x.a[k], y.a[k]), t.eq(x.b[k], y.b[k])));
        std::vector<Term> assume = {grows};
        InputTerms finite_x = x, finite_y = y;
        Unit without_c = unit;
        if (scope == Scope::block && unit.c) { // which may have become infinite
            const Format& c = format(*unit.c);
            y.c = t.variable("larger c", c.width);
            s.more.push_back(*y.c);
            assume.push_back(t.bvnot(t.bvslt(place_of(t, c, *y.c), place_of(t, c, *x.c))));
            assume.push_back(t.bvnot(t.bvor(is_nan(t, c, *x.c), is_nan(t, c, *y.c))));
            without_c.c = std::nullopt;
            finite_x.c = finite_y.c = std::nullopt;
        }
        assume.push_back(allowed(t, finite_inputs, without_c, finite_x));
        assume.push_back(allowed(t, finite_inputs, without_c, finite_y));
        s.first = encode(t, unit, x);
        s.second = encode(t, unit, y);
        const Term nan = t.bvor(is_nan(t, d, s.first), is_nan(t, d, s.second));
        const Term lower = t.bvslt(place_of(t, d, s.second), place_of(t, d, s.first));
        s.violated = scope == Scope::block ? t.bvor(nan, lower) : t.bvand(t.bvnot(nan), lower);
        s.assume = t.all_of(assume);
        s.other = std::move(y);
        return s;
    };
    claim.follow = [=](const Models&, const Vector& x, const Vector& y) {
        Vector next = x;
        next.a[k] = y.a[k];
        next.b[k] = y.b[k];
        return next;
    };
    claim.propose = [=](Vector& x, Vector& y, Random& random) { propose_larger(unit, k, x, y, random); };
    claim.violated = [=](const Models& models, const Vector& x, const Vector& y) {
        const Format &a = format(unit.a), &b = format(unit.b), &d = format(unit.d);
        if (!allows(finite_inputs, unit, x.inputs()) || !allows(finite_inputs, unit, y.inputs()) ||
            !is_larger_product(a, b, x.a[k], x.b[k], y.a[k], y.b[k]))
            return false;
        const std::uint64_t one = models(0, x), other = models(0, y);
        return !is_nan(d, one) && !is_nan(d, other) && place_of(d, other) < place_of(d, one);
    };
    return claim;
}

/// A zero product whose factors are 0 and x gives what 0·0 gives.
Claim zero_product(const Unit& unit, std::size_t k, bool a_is_zero, Scope scope) {
    Claim claim;
    claim.what = sentence("product ", k);
    claim.state = [=](Terms& t, const InputTerms& x) {
        Statement s;
        InputTerms with = x, without = x;
        (a_is_zero ? with.a : with.b)[k] = t.constant(format(a_is_zero ? unit.a : unit.b).width, 0);
        without.a[k] = t.constant(format(unit.a).width, 0);
        without.b[k] = t.constant(format(unit.b).width, 0);
        if (scope == Scope::block && unit.c) without.c = equivalent_accumulator(t, unit, *x.c, s);
        s.first = encode(t, unit, with);
        s.second = encode(t, unit, without);
        const Format& d = format(unit.d);
        s.violated = t.bvnot(alike(t, d, s.first, s.second, Zeros::alike));
        const Format& f = format(a_is_zero ? unit.b : unit.a);
        std::vector<Term> assume = {is_finite(t, f, (a_is_zero ? x.b : x.a)[k])};
        if (unit.scale) // infinity and NaN of scales are another matter
            for (const auto* row : {&x.sa, &x.sb})
                assume.push_back(is_finite(t, format(unit.scale->format), row->at(scale_of(unit, k))));
        s.assume = t.all_of(assume);
        s.other = std::move(without);
        return s;
    };
    claim.propose = [=](Vector& x, Vector& y, Random&) {
        (a_is_zero ? x.a : x.b)[k] = 0;
        y = x;
        y.a[k] = y.b[k] = 0;
    };
    claim.follow = [=](const Models&, const Vector& x, const Vector&) {
        Vector y = x;
        y.a[k] = y.b[k] = 0;
        return y;
    };
    claim.violated = [=](const Models& models, const Vector& x, const Vector& y) {
        if ((a_is_zero ? x.a : x.b)[k] != 0 || !is_finite(format(unit.a), x.a[k]) || !is_finite(format(unit.b), x.b[k]))
            return false;
        if (unit.scale)
            for (const auto* row : {&x.sa, &x.sb})
                if (!is_finite(format(unit.scale->format), row->at(scale_of(unit, k)))) return false;
        return !alike(format(unit.d), models(0, x), models(0, y), Zeros::alike);
    };
    return claim;
}

/// Claims about each of those.
template <typename Make>
Claims of_elements(const Unit& unit, Scope scope, Make make) {
    Claims claims{{unit}, 0, {}};
    for (const std::size_t k : different_elements(unit, scope)) make(k, claims.all);
    return claims;
}

} // namespace

Claims monotonic(const Unit& unit, Scope scope) {
    return of_elements(unit, scope, [&](std::size_t k, std::vector<Claim>& claims) {
        claims.push_back(larger_product(unit, k, scope));
    });
}

Claims zero_neutral(const Unit& unit, Scope scope) {
    return of_elements(unit, scope, [&](std::size_t k, std::vector<Claim>& claims) {
        for (const bool a_is_zero : {true, false}) claims.push_back(zero_product(unit, k, a_is_zero, scope));
    });
}

} // namespace discern::property
