// Claims about a unit and a changed input: negated, exchanged, divided into two; and about a changed register.
#include "claims.hpp"
#include "elements.hpp"
#include "numbers.hpp"

#include "encodings/number/number.hpp"
#include "models/error.hpp"
#include "models/overrides.hpp"
#include "models/unit/sentence.hpp"
#include "models/unit/tree_shape.hpp"
#include "solver/question/input_limits.hpp"

#include <algorithm>

namespace discern::property {

namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// The claim that two results are equal, the second one for inputs that `change` has changed.
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

/// All pairs of elements of two different blocks that share their scales.
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

/// The sentence of the error with which something ends; "" if it does not.
template <typename Attempt>
std::string sentence_of_error(const Attempt& attempt) {
    try {
        attempt();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

/// Half of the inputs, which begin at element `from`; c is left to others.
template <typename Inputs>
Inputs half(const Unit& unit, const Unit& half_unit, const Inputs& x, int from) {
    Inputs y;
    const auto part = [](const auto& row, int first, int count) {
        return std::remove_cvref_t<decltype(row)>(row.begin() + first, row.begin() + first + count);
    };
    y.a = part(x.a, from, half_unit.K);
    y.b = part(x.b, from, half_unit.K);
    if (!unit.scale) return y;
    y.sa = part(x.sa, from / unit.scale->block, half_unit.scales());
    y.sb = part(x.sb, from / unit.scale->block, half_unit.scales());
    return y;
}

} // namespace

Unit half_of(const Unit& unit) { return with_overrides(unit, sentence("{K=", unit.K / 2, "}")); }

Claims negation(const Unit& unit, Scope scope) {
    const auto change_terms = [=](Terms& t, InputTerms x, Statement& s) {
        for (Term& a : x.a) a = negated(t, format(unit.a), a);
        if (!x.c) return x;
        if (scope == Scope::block) x.c = equivalent_accumulator(t, unit, *x.c, s);
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
    return sentence_of_error([&] {
        Unit exchanged = unit;
        std::swap(exchanged.a, exchanged.b);
        validate(exchanged);
    });
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

Claims carry_bits(const Unit& unit, Scope) {
    Unit wide = unit;
    for_each_node(wide.tree, [](Node& node) {
        if (auto* fuse = std::get_if<Fuse>(&node.kind)) fuse->carry = std::nullopt;
    });
    return {{unit, wide},
            1,
            {same_result_after(
                "", unit, wide, Zeros::by_sign, false, [](Terms&, const InputTerms& x, Statement&) { return x; },
                [](Vector x) { return x; })}};
}

std::string no_carry_bits(const Unit& unit) {
    bool has_register = false;
    for_each_node(unit.tree, [&](const Node& node) {
        const auto* fuse = std::get_if<Fuse>(&node.kind);
        has_register = has_register || (fuse != nullptr && fuse->carry);
    });
    return has_register ? "" : "no sum has a register of so many carry bits";
}

std::string no_split(const Unit& unit) {
    if (!unit.c || *unit.c != unit.d) return "d cannot be the c of the second half";
    if (unit.K % 2 != 0) return "K is odd";
    const int half_K = unit.K / 2;
    if (unit.scale && half_K % unit.scale->block != 0 && unit.scale->block % half_K != 0)
        return "a block of scales would be divided";
    return sentence_of_error([&] { half_of(unit); });
}

} // namespace discern::property
