// See theorems.hpp.
#include "theorems.hpp"

#include "claims.hpp"

#include "models/error.hpp"
#include "models/unit/tree_shape.hpp"
#include "solver/decide/decide.hpp"

#include <algorithm>
#include <array>

namespace discern::property {

namespace {

bool is_nearest(Rounding mode) { return mode == Rounding::rne || mode == Rounding::rna; }

/// Whether both are one term but for the bits of NaN, of which no theorem speaks.
bool are_one_term(Unit one, Unit other) {
    one.nan = other.nan = {};
    try {
        validate(other);
    } catch (const Error&) {
        return false;
    }
    const Unit* const both[] = {&one, &other};
    const FoldedTerms folded = folded_terms(both);
    return folded.number[0] == folded.number[1];
}

/// The same tree with sums that lose nothing.
Unit with_exact_sums(Unit unit) {
    for_each_node(unit.tree, [](Node& node) {
        auto* fuse = std::get_if<Fuse>(&node.kind);
        if (fuse == nullptr) return;
        for (Child& child : fuse->children) {
            child.F = child.drop = std::nullopt;
            child.zero = {};
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
        if (const auto* p = std::get_if<Product>(&node.kind)) plain = plain && !p->flush && !p->limit;
        if (const auto* c = std::get_if<Accumulator>(&node.kind)) plain = plain && !c->flush;
    });
    return plain;
}

bool is_symmetric(Rounding mode) { return mode != Rounding::rd && mode != Rounding::ru; }

struct Theorem {
    std::string_view property;
    bool (*holds)(const Unit& unit);
    const char* by;
    bool of_tree_alone; ///< nothing has to be encoded for it
};

constexpr auto theorems = std::to_array<Theorem>({
    {"negation", treats_signs_alike, "the tree: nothing in it tells + from -", true},
    {"zero-neutral", forgets_zeros, "the tree: a product that is zero has no exponent of its own", true},
    {"monotonic", is_made_of_exact_sums, "terms, exact sums and roundings are monotonic", false},
    {"faithful", is_rounded_once, by_rounded_once, false},
    {"no-false-overflow", is_rounded_once, by_rounded_once, false},
});

} // namespace

bool is_rounded_once(const Unit& unit) {
    const Round& last = last_rounding(unit);
    // What is beyond the largest number of a format without infinity is to be that number: NaN is no neighbour.
    const bool as_ieee =
        format(unit.d).has_infinity()
            ? last.overflow == Overflow::ieee || (last.overflow == Overflow::infinity && is_nearest(last.mode))
            : last.overflow == Overflow::largest;
    if (last.format != unit.d || last.flush != Flush::none || !as_ieee || !leaves_are_plain(unit)) return false;
    return are_one_term(unit, exact_unit(unit, last));
}

bool is_made_of_exact_sums(const Unit& unit) {
    return leaves_are_plain(unit) && are_one_term(unit, with_exact_sums(unit));
}

bool treats_signs_alike(const Unit& unit) {
    bool alike = format(unit.a).is_signed && (!unit.c || format(*unit.c).is_signed);
    for_each_node(unit.tree, [&](const Node& node) {
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
    const auto* fuse = std::get_if<Fuse>(&last_rounding(unit).get().kind);
    const bool chained = unit.place == AccumulatorPlace::chained || !unit.c;
    if (fuse == nullptr || unit.blocks() != 1 || !chained || fuse->carry || fuse->step ||
        fuse->frame != SignFrame::none || !leaves_are_plain(unit))
        return std::nullopt;
    int n = 64;
    for (const Child& child : fuse->children) {
        int digits = 0, last_place = 0;
        if (const auto* p = std::get_if<Product>(&child.get().kind)) {
            if (p->normalisation != Normalisation::raw) return std::nullopt;
            const Format &a = format(unit.a), &b = format(unit.b);
            digits = a.mantissa_bits + b.mantissa_bits;
            last_place = a.last_place() + b.last_place();
            if (unit.scale) {
                digits += 2 * format(unit.scale->format).mantissa_bits;
                last_place += 2 * format(unit.scale->format).last_place();
            }
        } else if (const auto* c = std::get_if<Accumulator>(&child.get().kind)) {
            if (c->as) return std::nullopt;
            const Format& f = format(unit.c.value_or(unit.d));
            digits = f.mantissa_bits;
            last_place = f.last_place();
        } else {
            return std::nullopt;
        }
        if (child.zero.kind != ZeroExponent::Kind::ignore || child.drop) return std::nullopt;
        if (!child.F) continue;
        if (fuse->floor && *fuse->floor - *child.F > last_place) return std::nullopt;
        n = std::min(n, *child.F - digits);
    }
    return n >= 0 ? std::optional(n) : std::nullopt;
}

std::string theorem_for(std::string_view property, const Unit& unit, bool of_tree_alone) {
    for (const Theorem& theorem : theorems)
        if (theorem.property == property && (theorem.of_tree_alone || !of_tree_alone) && theorem.holds(unit))
            return theorem.by;
    return "";
}

} // namespace discern::property
