// The table of theorems: each is a condition on the tree from which a property follows.
#include "theorems.hpp"

#include "claims.hpp"
#include "elements.hpp"
#include "formal.hpp"
#include "numbers.hpp"
#include "tree/bounds.hpp"
#include "tree/sizes.hpp"

#include "models/error.hpp"
#include "models/unit/tree_shape.hpp"
#include "solver/decide/decide.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <vector>

namespace discern::property {

namespace {

/// Whether both are one term but for the bits of NaN, of which no theorem speaks.
bool are_one_term(Unit one, Unit other, const Limit& limit) {
    one.nan = other.nan = {};
    try {
        validate(other);
    } catch (const Error&) {
        return false;
    }
    const Unit both[] = {one, other};
    try {
        const FoldedTerms folded = folded_terms(listed(both), limit);
        return folded.number[0] == folded.number[1];
    } catch (const TimeIsOver&) {
        return false;
    }
}

/// The same tree with sums that lose nothing.
Unit with_exact_sums(Unit unit) {
    for_each_node(unit.tree, [](Node& node) {
        auto* fuse = std::get_if<Fuse>(&node.kind);
        if (fuse == nullptr) return;
        for (Child& child : fuse->children) {
            Child exact;
            exact.node = std::move(child.node);
            exact.scaled = child.scaled;
            child = std::move(exact);
        }
        fuse->floor = fuse->carry = fuse->step = std::nullopt;
        fuse->phase = 0;
        fuse->sticky = false;
        fuse->frame = SignFrame::none;
        fuse->opposed = Opposed::all;
    });
    return unit;
}

/// Whether leaves give what is in the inputs: nothing is flushed or made infinite.
bool leaves_are_plain(const Unit& unit) {
    bool plain = true;
    for_each_node(unit.tree, [&](const Node& node) {
        if (const auto* p = std::get_if<Product>(&node.kind)) plain = plain && !p->ftz && !p->limit;
        if (const auto* c = std::get_if<Accumulator>(&node.kind)) plain = plain && !c->ftz;
    });
    return plain;
}

/// A product is that of its factors' values, and its exponent the sum of theirs.
bool multiplication_commutes(const Unit&) { return true; }

/// Whether a zero among the factors a has a sign that its product has too: what decides on that of infinity times zero,
/// where that is infinite.
bool keeps_sign_of_zeros(const Unit& unit, const Product& p) {
    const Format& a = format(unit.a);
    return a.has_minus_zero() && p.zin_keep && (!p.ftz || p.fsign_keep || !a.has_subnormals());
}

/// A product of two small numbers: its magnitude, a double exactly, the exponent of its fields and of its last bit.
struct SmallProduct {
    double magnitude;
    int exponent, last;
    std::partial_ordering operator<=>(const SmallProduct&) const = default;
};

std::vector<SmallProduct> products_of(const Format& a, const Format& b) {
    std::vector<SmallProduct> all;
    for (std::uint64_t x = 0; x <= a.mask() >> (a.is_signed ? 1 : 0); ++x)
        for (std::uint64_t y = 0; y <= b.mask() >> (b.is_signed ? 1 : 0); ++y) {
            const Decoded m = decode(a, x), n = decode(b, y);
            if (!is_finite(a, x) || !is_finite(b, y) || m.is_zero() || n.is_zero()) continue;
            const int exponent = m.exponent + n.exponent;
            const std::uint64_t significand = m.significand * n.significand;
            all.push_back({to_double(a, x) * to_double(b, y), exponent,
                           exponent - a.mantissa_bits - b.mantissa_bits + std::countr_zero(significand)});
        }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

/// Whether two products of different exponents always differ by at least as much as truncation at the larger exponent
/// takes from `terms` terms, and from the smaller product if it can be truncated. Goes through all products of small
/// formats.
bool products_are_far_apart(const Unit& unit, int terms, int F) {
    const Format &a = format(unit.a), &b = format(unit.b);
    if (a.width > 8 || b.width > 8 || (unit.scale && format(unit.scale->format).mantissa_bits > 0)) return false;
    const std::vector<SmallProduct> all = products_of(a, b);
    const auto near = [&](const SmallProduct& larger, const SmallProduct& other) {
        const double kept = std::ldexp(1.0, larger.exponent - F), apart = std::fabs(larger.magnitude - other.magnitude);
        const bool can_be_truncated = other.last < larger.exponent - 1 - F;
        return apart > 0 && other.exponent < larger.exponent && apart < (terms + (can_be_truncated ? 1 : 0)) * kept;
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
        const double reach = (terms + 1) * std::ldexp(1.0, all[i].exponent - F);
        if (all[i].magnitude < reach) return false; // from zero, and from products of the other sign
        for (std::size_t j = i; j-- > 0 && all[i].magnitude - all[j].magnitude < reach;)
            if (near(all[i], all[j])) return false;
        for (std::size_t j = i + 1; j < all.size() && all[j].magnitude - all[i].magnitude < reach; ++j)
            if (near(all[i], all[j])) return false;
    }
    return true;
}

/// The largest n so that all terms together are below the last bit of d where one of them has an exponent of at most
/// `top` and the others lie within n of it; −1: none.
int vanishes_within(const Unit& unit, int top) {
    const auto largest = [](const Format& f) { return 2 - std::ldexp(1.0, -f.mantissa_bits); };
    double product = largest(format(unit.a)) * largest(format(unit.b));
    if (unit.scale) product *= largest(format(unit.scale->format)) * largest(format(unit.scale->format));
    int n = -1;
    for (; n < 64; ++n) {
        double most = unit.K * product;
        if (unit.c && format(*unit.c).emin() <= top + n + 1) most += 2;
        if (std::ldexp(most, top + n + 1) >= std::ldexp(1.0, format(unit.d).lsb())) break;
    }
    return n;
}

struct Theorem {
    std::string_view property;
    bool (*of_tree)(const Unit& unit);                      ///< what the tree alone says; or
    bool (*of_terms)(const Unit& unit, const Limit& limit); ///< what has to be encoded
    Argument by;
};

// Of a property, what is proved in Rocq comes first.
constexpr auto theorems = std::to_array<Theorem>({
    {"negation", is_symmetric_in_signs, nullptr, {"the tree: nothing in it tells + from -", of_tree("signs-alike")}},
    {"swap", multiplication_commutes, nullptr, {"a product has no first factor", of_tree("no-first-factor")}},
    {"order-in-block", formal::is_sum_without_order, nullptr, formal::by_order},
    {"order-in-block",
     knows_no_order,
     nullptr,
     {"the tree: operands of sums have no order", of_tree("operands-without-order")}},
    {"monotonic",
     has_bits_to_spare,
     nullptr,
     {"the tree: no larger product costs others as much", of_tree("places-to-spare")}},
    {"monotonic",
     nullptr,
     is_made_of_exact_sums,
     {"terms, exact sums and roundings are monotonic", of_terms("exact-sums")}},
    {"faithful", formal::is_exact_dot_product, nullptr, formal::by_dot_unit},
    {"faithful", nullptr, is_rounded_once, by_rounded_once},
    {"no-false-overflow", formal::is_exact_dot_product, nullptr, formal::by_dot_unit},
    {"no-false-overflow", never_overflows, nullptr, {"the tree: nothing becomes that large", bound("largest-results")}},
    {"no-false-overflow",
     loses_less_than_overflow,
     nullptr,
     {"the tree: truncation takes too little", bound("less-cut-than-overflow-takes")}},
    {"no-false-overflow", nullptr, is_rounded_once, by_rounded_once},
    {"specials",
     propagates_specials,
     nullptr,
     {"the tree: only inputs make infinities that meet", of_tree("specials-of-inputs")}},
    {"zero-neutral",
     forgets_zeros,
     nullptr,
     {"the tree: a product that is zero has no exponent of its own", of_tree("zeros-without-exponent")}},
    {"split", is_chain_of_halves, nullptr, {"the tree: both are one chain of blocks", of_tree("one-chain")}},
    {"carry-bits", formal::has_enough_carry_bits, nullptr, formal::by_carry_enough},
});

} // namespace

Argument by_rounding_once(const Unit& unit) {
    return formal::is_exact_dot_product(unit) ? formal::by_dot_unit : by_rounded_once;
}

bool is_rounded_once(const Unit& unit, const Limit& limit) {
    if (formal::is_exact_dot_product(unit)) return true;
    const Round& last = last_rounding(unit);
    // In a format without infinity, larger results have to be the largest number: NaN is no neighbour of the exact
    // result.
    const bool as_ieee =
        format(unit.d).has_infinity()
            ? last.overflow == Overflow::ieee || (last.overflow == Overflow::infinity && is_nearest(last.mode))
            : last.overflow == Overflow::largest;
    if (last.format != unit.d || last.ftz != Flush::none || !as_ieee || !leaves_are_plain(unit)) return false;
    return are_one_term(unit, exact_unit(unit, last), limit);
}

bool is_made_of_exact_sums(const Unit& unit, const Limit& limit) {
    bool no_nan_is_a_number = true; // in fixed point NaN is 0
    for_each_node(unit.tree, [&](const Node& node) {
        const auto* round = std::get_if<Round>(&node.kind);
        if (round != nullptr && format(round->format).is_fixed_point()) no_nan_is_a_number = false;
    });
    return leaves_are_plain(unit) && (no_nan_is_a_number || never_overflows_within(unit)) &&
           are_one_term(unit, with_exact_sums(unit), limit);
}

bool is_symmetric_in_signs(const Unit& unit) {
    const auto can_be_negated = [](FormatId id) { return format(id).is_signed && !format(id).is_fixed_point(); };
    bool alike = can_be_negated(unit.a) && (!unit.c || can_be_negated(*unit.c));
    for_each_node(unit.tree, [&](const Node& node) {
        if (const auto* p = std::get_if<Product>(&node.kind); p != nullptr && p->infzero)
            alike = alike && (!format(unit.b).has_infinity() || keeps_sign_of_zeros(unit, *p));
        if (const auto* round = std::get_if<Round>(&node.kind))
            alike = alike && is_symmetric(round->mode) && !format(round->format).is_fixed_point();
        const auto* fuse = std::get_if<Fuse>(&node.kind);
        if (fuse == nullptr) return;
        // A register wraps one number more below zero than above; what is sticky adds +; a frame asks for signs.
        alike = alike && !fuse->carry && !fuse->sticky && fuse->frame == SignFrame::none;
        for (const Child& child : fuse->children) alike = alike && (!child.F || is_symmetric(child.rounding));
    });
    return alike;
}

bool forgets_zeros(const Unit& unit) {
    bool forgets = true;
    for_each_node(unit.tree, [&](const Node& node) {
        const auto* fuse = std::get_if<Fuse>(&node.kind);
        if (fuse == nullptr) return;
        forgets = forgets && fuse->frame == SignFrame::none;
        for (const Child& child : fuse->children)
            if (std::holds_alternative<Product>(child.get().kind))
                forgets = forgets && child.zero.kind != ZeroExponent::Kind::own;
    });
    return forgets;
}

std::optional<int> exact_within(const Unit& unit) {
    const Round& last = last_rounding(unit);
    const auto* fuse = std::get_if<Fuse>(&last.get().kind);
    const bool chained = unit.place == AccumulatorPlace::chained || !unit.c;
    if (fuse == nullptr || unit.blocks() != 1 || !chained || fuse->carry || fuse->step ||
        fuse->frame != SignFrame::none || !leaves_are_plain(unit))
        return std::nullopt;
    int n = 64;
    std::optional<int> truncated; // the largest exponent of a term that the floor truncates
    for (const Child& child : fuse->children) {
        int digits = 0, lsb = 0;
        if (const auto* p = std::get_if<Product>(&child.get().kind)) {
            if (p->normalisation != Normalisation::raw || p->as) return std::nullopt;
            const Format &a = format(unit.a), &b = format(unit.b);
            digits = a.mantissa_bits + b.mantissa_bits;
            lsb = a.lsb() + b.lsb();
            if (unit.scale) {
                digits += 2 * format(unit.scale->format).mantissa_bits;
                lsb += 2 * format(unit.scale->format).lsb();
            }
        } else if (const auto* c = std::get_if<Accumulator>(&child.get().kind)) {
            if (c->as) return std::nullopt;
            const Format& f = format(unit.c.value_or(unit.d));
            digits = f.mantissa_bits;
            lsb = f.lsb();
        } else {
            return std::nullopt;
        }
        if (child.zero.kind != ZeroExponent::Kind::ignore || child.drop) return std::nullopt;
        if (!child.F) continue;
        const int kept = fuse->floor.value_or(-100000) - *child.F;
        if (kept > lsb) {
            if (child.rounding != Rounding::rz) return std::nullopt; // it may grow
            truncated = std::max(truncated.value_or(kept), kept + digits - 1);
        }
        n = std::min(n, *child.F - digits);
    }
    if (truncated && (last.mode != Rounding::rz || last.format != unit.d || format(unit.d).is_fixed_point()))
        return std::nullopt;
    if (truncated) n = std::min(n, vanishes_within(unit, *truncated));
    return n >= 0 ? std::optional(n) : std::nullopt;
}

bool knows_no_order(const Unit& unit) {
    for (int l = 0; l + 1 < unit.L; ++l) {
        bool shared = false;
        for (int block = 0; block < unit.blocks() && !shared; ++block)
            shared = scale_of(unit, element(unit, block, l)) == scale_of(unit, element(unit, block, l + 1));
        if (shared && !are_alike(unit, l, l + 1)) return false;
    }
    return true;
}

bool is_chain_of_halves(const Unit& unit) {
    if (!no_split(unit).empty() || unit.place != AccumulatorPlace::chained) return false;
    Unit half = half_of(unit);
    const bool same_runs = unit.interleave == 0 || half.blocks() % 2 == 0;
    half.K = unit.K;
    return same_runs && half == unit;
}

bool propagates_specials(const Unit& unit) {
    bool plain = format(unit.d).has_infinity();
    for_each_node(unit.tree, [&](const Node& node) {
        const auto* p = std::get_if<Product>(&node.kind);
        if (p != nullptr) plain = plain && !p->ftz && !p->infnan && !p->nanzero && !p->infzero;
        const auto* round = std::get_if<Round>(&node.kind);
        if (round != nullptr) plain = plain && format(round->format).has_infinity();
    });
    return plain && never_overflows_within(unit);
}

bool has_bits_to_spare(const Unit& unit) {
    const Node* node = &unit.tree;
    while (const auto* round = std::get_if<Round>(&node->kind)) {
        if (!format(round->format).has_infinity()) return false;
        node = &round->get();
    }
    const auto* fuse = std::get_if<Fuse>(&node->kind);
    if (fuse == nullptr || fuse->carry || fuse->step || fuse->sticky || fuse->frame != SignFrame::none ||
        !leaves_are_plain(unit))
        return false;
    int digits = format(unit.a).mantissa_bits + format(unit.b).mantissa_bits, integer_bits = 2, F = 64;
    if (unit.scale && format(unit.scale->format).mantissa_bits > 0) {
        digits += 2 * format(unit.scale->format).mantissa_bits;
        integer_bits += 2;
    }
    bool fields_say_exponents = true;
    for (const Child& child : fuse->children) {
        const auto* p = std::get_if<Product>(&child.get().kind);
        const auto* c = std::get_if<Accumulator>(&child.get().kind);
        fields_say_exponents = fields_say_exponents && (p == nullptr || !p->as);
        if ((p == nullptr && c == nullptr) || (p != nullptr && p->normalisation != Normalisation::raw) ||
            (c != nullptr && c->as) || child.zero.kind != ZeroExponent::Kind::ignore || child.drop || child.less != 0 ||
            !child.F || child.rounding != Rounding::rz)
            return false;
        F = std::min(F, *child.F);
    }
    const int terms = static_cast<int>(std::bit_width(static_cast<unsigned>(unit.L))); // log2(L + 1), rounded up
    const int of_c = std::max(format(unit.d).mantissa_bits, format(unit.c.value_or(unit.d)).mantissa_bits);
    return (unit.blocks() == 1 || F >= of_c + 1 + terms) &&
           (F >= 2 * digits + integer_bits + terms ||
            (fields_say_exponents && products_are_far_apart(unit, unit.L, F)));
}

std::optional<Basis> theorem_for(std::string_view property, const Unit& unit, const std::optional<Limit>& terms) {
    for (const Theorem& theorem : theorems)
        if (theorem.property == property &&
            (theorem.of_tree != nullptr ? theorem.of_tree(unit) : terms && theorem.of_terms(unit, *terms)))
            return theorem.by;
    return std::nullopt;
}

} // namespace discern::property
