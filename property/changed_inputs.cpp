// Claims about a unit and a changed input: negated, exchanged, enlarged, cut in two.
#include "claims.hpp"
#include "numbers.hpp"

#include "encodings/number.hpp"
#include "models/error.hpp"
#include "models/overrides.hpp"
#include "models/unit/sentence.hpp"
#include "solver/decide/input_limits.hpp"

#include <algorithm>
#include <bit>

namespace discern::property {

namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

const InputLimits finite_inputs{.finite = true};

/// c of a later block where c of an earlier one is alike: of a zero any sign, if that does not count.
Term alike_accumulator(Terms& t, const Unit& unit, Term c, Statement& statement) {
    const Format& f = format(*unit.c);
    if (f.specials == Specials::fnuz) return c;
    const Term sign = t.variable("sign of c", 1);
    statement.more.push_back(sign);
    const Term zero = is_zero(t, f, c);
    return t.concat(t.ite(zero, sign, t.bit(c, f.width - 1)), t.extract(c, 0, f.width - 1));
}

/// The claim that two results are alike, the second one of `change`d inputs.
template <typename ChangeTerms, typename Change>
Claim same_result_after(std::string what, const Unit& first, const Unit& second, Zeros zeros, bool negates,
                        ChangeTerms change_terms, Change change) {
    Claim claim;
    claim.what = std::move(what);
    claim.state = [=](Terms& t, const InputTerms& x) {
        Statement s;
        s.other = change_terms(t, x, s);
        const Format& d = format(first.d);
        s.first = encode(t, first, x);
        s.second = encode(t, second, *s.other);
        if (negates) s.second = property::negated(t, d, s.second);
        s.violated = t.bvnot(alike(t, d, s.first, s.second, zeros));
        s.assume = t.truth(true);
        return s;
    };
    claim.follow = [=](const Models&, const Vector& x, const Vector&) { return change(x); };
    const std::size_t other = first == second ? 0 : 1;
    claim.violated = [=](const Models& models, const Vector& x, const Vector& y) {
        const Format& d = format(first.d);
        const std::uint64_t result = models(other, y);
        return !alike(d, models(0, x), negates ? property::negated(d, result) : result, zeros);
    };
    return claim;
}

std::size_t scale_of(const Unit& unit, std::size_t k) {
    return unit.scale ? k / static_cast<std::size_t>(unit.scale->block) : 0;
}

std::size_t element(const Unit& unit, int block, int l) { return static_cast<std::size_t>(unit.element(block, l)); }

/// Neighbours within blocks: exchanging such makes every order, where scales let it.
Pairs pairs_in_blocks(const Unit& unit, Scope scope) {
    Pairs pairs;
    const int blocks = scope == Scope::block ? 1 : unit.blocks();
    for (int block = 0; block < blocks; ++block)
        for (int l = 0; l + 1 < unit.L; ++l) {
            const std::size_t i = element(unit, block, l), j = element(unit, block, l + 1);
            if (scale_of(unit, i) == scale_of(unit, j)) pairs.emplace_back(i, j);
        }
    return pairs;
}

/// All pairs of elements of two blocks that share their scales.
Pairs pairs_across_blocks(const Unit& unit) {
    Pairs pairs;
    for (int one = 0; one < unit.blocks(); ++one)
        for (int other = one + 1; other < unit.blocks(); ++other)
            for (int l = 0; l < unit.L; ++l)
                for (int m = 0; m < unit.L; ++m) {
                    const std::size_t i = element(unit, one, l), j = element(unit, other, m);
                    if (scale_of(unit, i) == scale_of(unit, j)) pairs.emplace_back(i, j);
                }
    return pairs;
}

Claims exchanges(const Unit& unit, const Pairs& pairs) {
    Claims claims{{unit}, 0, {}};
    for (const auto& [i, j] : pairs) {
        const auto exchange = [i = i, j = j](auto v) {
            std::swap(v.a[i], v.a[j]);
            std::swap(v.b[i], v.b[j]);
            return v;
        };
        claims.all.push_back(same_result_after(
            sentence("products ", i, " and ", j), unit, unit, Zeros::by_sign, false,
            [exchange](Terms&, const InputTerms& x, Statement&) { return exchange(x); }, exchange));
    }
    return claims;
}

Unit half_of(const Unit& unit) { return with_overrides(unit, sentence("{K=", unit.K / 2, "}")); }

/// Half of the inputs, which begin at element `from`; c is left to others.
template <typename Inputs>
Inputs half(const Unit& unit, const Unit& half_unit, const Inputs& x, int from) {
    Inputs y;
    const auto cut = [](const auto& row, int first, int count) {
        return std::remove_cvref_t<decltype(row)>(row.begin() + first, row.begin() + first + count);
    };
    y.a = cut(x.a, from, half_unit.K);
    y.b = cut(x.b, from, half_unit.K);
    if (!unit.scale) return y;
    y.sa = cut(x.sa, from / unit.scale->block, half_unit.scales());
    y.sb = cut(x.sb, from / unit.scale->block, half_unit.scales());
    return y;
}

/// The next larger number; none above the largest one.
std::uint64_t larger(const Format& f, std::uint64_t bits) {
    const std::int64_t place = place_of(f, bits) + 1;
    const std::uint64_t magnitude = static_cast<std::uint64_t>(place < 0 ? -place : place) << f.padding_bits;
    const std::uint64_t next = place < 0 ? magnitude | (1ull << (f.width - 1)) : magnitude;
    return (next & ~f.mask()) == 0 && is_finite(f, next) ? next : bits;
}

/// ±significand · 2^place where the format has it, else 0.
std::uint64_t number_at(const Format& f, bool negative, std::uint64_t significand, int place) {
    const int bits = static_cast<int>(std::bit_width(significand)), shift = f.mantissa_bits + 1 - bits;
    int exponent = place + bits - 1;
    if (exponent < f.emin()) { // a subnormal number, if it has that last place
        if (place < f.last_place()) return 0;
        return pack(
            f, {.negative = negative, .significand = significand << (place - f.last_place()), .exponent = f.emin()});
    }
    if (shift < 0 || exponent > f.emax()) return 0;
    if (exponent == f.emax() && (significand << shift) > f.max_significand()) return 0;
    return pack(f, {.negative = negative, .significand = significand << shift, .exponent = exponent});
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

void propose_larger(const Unit& unit, std::size_t k, Vector& x, Vector& y, Random& random) {
    const Format &a = format(unit.a), &b = format(unit.b);
    static constexpr decltype(&propose_any) ways[] = {propose_power, propose_power, propose_equal, propose_any};
    ways[random.below(4)](unit, k, x, y, random);
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
        if (scope == Scope::block && unit.c) without.c = alike_accumulator(t, unit, *x.c, s);
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

/// Elements of which each stands for all that could be exchanged with it and nobody would notice: neighbours in a block
/// that make the same term.
std::vector<std::size_t> different_elements(const Unit& unit, Scope scope) {
    std::vector<std::size_t> elements;
    const int blocks = scope == Scope::block ? 1 : unit.blocks();
    Terms t;
    const InputTerms x = input_variables(t, unit);
    const Term d = encode(t, unit, x);
    for (int block = 0; block < blocks; ++block)
        for (int l = 0; l < unit.L; ++l) {
            const std::size_t k = element(unit, block, l);
            if (l > 0 && scale_of(unit, k) == scale_of(unit, element(unit, block, l - 1))) {
                InputTerms y = x;
                std::swap(y.a[k], y.a[element(unit, block, l - 1)]);
                std::swap(y.b[k], y.b[element(unit, block, l - 1)]);
                if (encode(t, unit, y) == d) continue;
            }
            elements.push_back(k);
        }
    return elements;
}

/// Claims about each of those.
template <typename Make>
Claims of_elements(const Unit& unit, Scope scope, Make make) {
    Claims claims{{unit}, 0, {}};
    for (const std::size_t k : different_elements(unit, scope)) make(k, claims.all);
    return claims;
}

} // namespace

Claims negation(const Unit& unit, Scope scope) {
    const auto change_terms = [=](Terms& t, InputTerms x, Statement& s) {
        for (Term& a : x.a) a = negated(t, format(unit.a), a);
        if (!x.c) return x;
        if (scope == Scope::block) x.c = alike_accumulator(t, unit, *x.c, s);
        x.c = negated(t, format(*unit.c), *x.c);
        return x;
    };
    const auto change = [=](Vector x) {
        for (std::uint64_t& a : x.a) a = negated(format(unit.a), a);
        if (x.c) x.c = negated(format(*unit.c), *x.c);
        return x;
    };
    return {{unit}, 0, {same_result_after("", unit, unit, Zeros::alike, true, change_terms, change)}};
}

Claims swap(const Unit& unit, Scope) {
    Unit exchanged = unit;
    std::swap(exchanged.a, exchanged.b);
    const auto change = [](auto x) {
        std::swap(x.a, x.b);
        std::swap(x.sa, x.sb);
        return x;
    };
    const bool same = exchanged == unit;
    return {same ? std::vector{unit} : std::vector{unit, exchanged},
            same ? 0u : 1u,
            {same_result_after(
                "", unit, exchanged, Zeros::by_sign, false,
                [change](Terms&, const InputTerms& x, Statement&) { return change(x); }, change)}};
}

std::string no_swap(const Unit& unit) {
    Unit exchanged = unit;
    std::swap(exchanged.a, exchanged.b);
    try {
        validate(exchanged);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

Claims order_in_block(const Unit& unit, Scope scope) { return exchanges(unit, pairs_in_blocks(unit, scope)); }
Claims order_across_blocks(const Unit& unit, Scope) { return exchanges(unit, pairs_across_blocks(unit)); }

std::string no_order_in_block(const Unit& unit) {
    if (unit.L == 1) return "a block has one product";
    return pairs_in_blocks(unit, Scope::unit).empty() ? "no two products of a block share their scales" : "";
}

std::string no_order_across_blocks(const Unit& unit) {
    if (unit.blocks() == 1) return "there is one block";
    return pairs_across_blocks(unit).empty() ? "no two products of different blocks share their scales" : "";
}

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

Claims split(const Unit& unit, Scope) {
    const Unit part = half_of(unit);
    Claim claim;
    claim.state = [=](Terms& t, const InputTerms& x) {
        Statement s;
        InputTerms one = half(unit, part, x, 0), other = half(unit, part, x, part.K);
        one.c = x.c;
        other.c = encode(t, part, one);
        s.first = encode(t, unit, x);
        s.second = encode(t, part, other);
        s.violated = t.bvnot(alike(t, format(unit.d), s.first, s.second, Zeros::by_sign));
        s.assume = t.truth(true);
        s.other = std::move(other);
        return s;
    };
    claim.follow = [=](const Models& models, const Vector& x, const Vector&) {
        Vector one = half(unit, part, x, 0), other = half(unit, part, x, part.K);
        one.c = x.c;
        other.c = models(1, one);
        return other;
    };
    claim.violated = [=](const Models& models, const Vector& x, const Vector& y) {
        return !alike(format(unit.d), models(0, x), models(1, y), Zeros::by_sign);
    };
    return {{unit, part}, 1, {claim}};
}

std::string no_split(const Unit& unit) {
    if (!unit.c || *unit.c != unit.d) return "d cannot be the c of the second half";
    if (unit.K % 2 != 0) return "K is odd";
    const int half_K = unit.K / 2;
    if (unit.scale && half_K % unit.scale->block != 0 && unit.scale->block % half_K != 0)
        return "a block of scales would be cut";
    try {
        half_of(unit);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

} // namespace discern::property
