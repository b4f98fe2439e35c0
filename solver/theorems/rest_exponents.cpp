// Each rule is a theorem about what the formats make possible, with its argument beside it. Below, p is the place that
// every number in the unit is a multiple of (Ranges::last_place_of_all).
#include "rest_exponents.hpp"

#include "lost_bits.hpp"
#include "rest_common.hpp"
#include "two_terms.hpp"

#include "models/tree_shape.hpp"

#include <algorithm>
#include <climits>

namespace discern {

namespace {

/// A register of 1 + w + 2 + F bits holds everything below 2^(E + w + 2).
bool holds_every_sum(int carry, const Fuse& fuse, const Ranges& ranges) {
    const std::int64_t together = ranges.significand_bound(fuse);
    return together > 0 && (together >> std::min(carry + 2, 62) == 0 || ranges.sum_is_below(fuse, carry + 2));
}

template <typename Visit>
void for_each_unrounded(Node& node, Visit visit) {
    if (std::holds_alternative<Round>(node.kind)) return;
    visit(node);
    if (auto* fuse = std::get_if<Fuse>(&node.kind))
        for (Child& child : fuse->children) for_each_unrounded(child.get(), visit);
}

/// An exact sum of exact sums is one exact sum; so is one among aligned terms, whose exponent is the largest of its
/// terms' as theirs are in the sum around it.
void flatten(Fuse& fuse, bool exponents_matter) {
    std::vector<Child> children;
    for (Child& child : fuse.children) {
        auto* below = std::get_if<Fuse>(&child.get().kind);
        if (below != nullptr) flatten(*below, exponents_matter);
        const bool is_exact = below != nullptr && !child.F && !child.drop && !below->carry &&
                              std::all_of(below->children.begin(), below->children.end(),
                                          [](const Child& inner) { return !inner.F && !inner.drop; });
        const bool same_exponent = is_exact && !below->floor && child.zero.kind == ZeroExponent::Kind::own;
        if (!is_exact || (exponents_matter && !same_exponent)) {
            children.push_back(std::move(child));
            continue;
        }
        for (Child& inner : below->children) children.push_back(std::move(inner));
    }
    fuse.children = std::move(children);
}

/// Where nothing is aligned.
void forget_exponents(Node& node) {
    if (auto* product = std::get_if<Product>(&node.kind)) product->normalisation = Normalisation::raw;
    if (auto* leaf = std::get_if<Accumulator>(&node.kind)) leaf->as.reset();
    auto* fuse = std::get_if<Fuse>(&node.kind);
    if (fuse == nullptr) return;
    flatten(*fuse, false);
    for (Child& child : fuse->children) child.zero = {};
}

} // namespace

void RestExponents::registers(Fuse& fuse) const {
    if (fuse.carry && holds_every_sum(*fuse.carry, fuse, ranges_)) fuse.carry.reset();
}

/// A constant of a zero c that is not above any exponent of a c that is not zero is a floor: it acts where c is
/// zero, and where c is not, E is no smaller anyway. One that is not above the floor adds nothing to it.
void RestExponents::zeros_as_floor(Fuse& fuse) const {
    for (Child& child : fuse.children) {
        const auto* c = std::get_if<Accumulator>(&child.get().kind);
        if (c == nullptr || child.zero.kind != ZeroExponent::Kind::constant ||
            child.zero.value > ranges_.lowest_exponent_of_results(*c))
            continue;
        fuse.floor = std::max(fuse.floor.value_or(child.zero.value), child.zero.value);
        child.zero = {};
    }
    for (Child& child : fuse.children)
        if (child.zero.kind == ZeroExponent::Kind::constant && fuse.floor && child.zero.value <= *fuse.floor)
            child.zero = {};
}

/// With a child that takes part zero or not, E is never below that child's smallest exponent, whatever a floor or
/// another's zero say.
void RestExponents::always_there(Fuse& fuse) const {
    const Child* there = nullptr;
    int least = 0;
    for (const Child& child : fuse.children)
        if (const auto e = ranges_.least_exponent(child); e && (there == nullptr || *e > least)) {
            there = &child;
            least = *e;
        }
    if (there == nullptr) return;
    if (fuse.floor && *fuse.floor <= least) fuse.floor.reset();
    for (Child& child : fuse.children)
        if (const auto zero = ranges_.zero_exponent(child); &child != there && zero && *zero <= least) child.zero = {};
}

/// A term is dropped below E − n alone, which is not where E is its own.
void RestExponents::never_dropped(Fuse& fuse) const {
    for (Child& child : fuse.children) {
        if (!child.drop) continue;
        Fuse others = fuse;
        std::erase_if(others.children, [&](const Child& other) { return other == child; });
        if (std::holds_alternative<Accumulator>(child.get().kind) && child.zero == ZeroExponent{} &&
            !others.children.empty() && others.children.size() + 1 == fuse.children.size())
            if (const auto highest = ranges_.highest_exponent(others);
                highest && *highest - *child.drop <= ranges_.lowest_exponent(child.get()))
                child.drop.reset();
    }
}

/// A term is exact if no reference exponent is so large that its last place is cut. In a fuse with a register that
/// would change what wraps.
void RestExponents::never_cut(Node& node) const {
    if (auto* round = std::get_if<Round>(&node.kind)) return never_cut(round->get());
    auto* fuse = std::get_if<Fuse>(&node.kind);
    if (fuse == nullptr) return;
    for (Child& child : fuse->children) never_cut(child.get());
    never_dropped(*fuse);
    const auto highest = ranges_.highest_exponent(*fuse);
    if (!highest || fuse->carry) return;
    for (Child& child : fuse->children) {
        const int place = std::max(p_, ranges_.last_place_of_terms(child.get()));
        if (child.F && *highest - *child.F <= place) {
            child.F.reset();
            child.rounding = Rounding::rz;
        }
    }
}

/// A floor f changes E only where E < f. If f ≤ p + F for the place p that a term is a multiple of, and its F, the term
/// is cut at E − F or at f − F, which are at or below p: it loses nothing with the floor or without. So for all terms
/// that are cut at all. The sum's value is the same; its exponent may be f instead of a smaller one, which changes cuts
/// further up only in the same harmless way. Exponents of zeros are the same argument. It needs that nothing else reads
/// the exponents: no register of finite width, and no `drop` n but of terms whose exponents are never below f − n.
void RestExponents::alignment() const {
    for (Round* const round : all_rounds(unit_)) alignment(*round);
}

/// A zero of a single term cuts only the others: none, if their last places are not below its exponent less their F.
void RestExponents::zeros_beside_exact_terms(Round& round) const {
    auto* const fuse = std::get_if<Fuse>(&round.get().kind);
    if (fuse == nullptr || fuse->carry) return;
    const auto is_plain = [](const Child& child) {
        return !child.drop && !std::holds_alternative<Fuse>(child.get().kind);
    };
    if (!std::all_of(fuse->children.begin(), fuse->children.end(), is_plain)) return;
    for (Child& child : fuse->children) {
        const auto* product = std::get_if<Product>(&child.get().kind);
        const auto* group = std::get_if<Group>(&child.get().kind);
        const auto zero = ranges_.zero_exponent_at_most(child);
        if (!zero || group != nullptr || (product != nullptr && count(product->which, unit_.L) > 1)) continue;
        const auto keeps = [&](const Child& other) {
            return &other == &child || !other.F ||
                   *zero - *other.F <= std::max(p_, ranges_.last_place_of_terms(other.get()));
        };
        if (std::all_of(fuse->children.begin(), fuse->children.end(), keeps)) child.zero = {};
    }
}

/// Of what is under a rounding, down to other roundings, whose results have exponents of their own.
void RestExponents::alignment(Round& round) const {
    constexpr int nowhere = INT_MIN / 2;
    int whole = INT_MAX, kept = INT_MAX;
    bool has_register = false;
    for_each_unrounded(round.get(), [&](Node& node) {
        const auto* fuse = std::get_if<Fuse>(&node.kind);
        if (fuse == nullptr) return;
        has_register = has_register || fuse->carry;
        for (const Child& child : fuse->children) {
            // Of a sum that can be dropped, the exponent itself is read.
            const bool is_sum = std::holds_alternative<Fuse>(child.get().kind);
            if (child.drop)
                kept = is_sum ? nowhere : std::min(kept, ranges_.lowest_exponent(child.get()) + *child.drop);
            if (child.F) whole = std::min(whole, std::max(p_, ranges_.last_place_of_terms(child.get())) + *child.F);
        }
    });
    if (has_register) return;
    zeros_beside_exact_terms(round);
    const int harmless = std::min(kept, whole);
    const bool all_exact = harmless == INT_MAX;
    for_each_unrounded(round.get(), [&](Node& node) {
        if (all_exact) forget_exponents(node);
        auto* fuse = std::get_if<Fuse>(&node.kind);
        if (fuse == nullptr) return;
        if (fuse->floor && *fuse->floor <= harmless) fuse->floor.reset();
        for (Child& child : fuse->children)
            if (const auto zero = ranges_.zero_exponent_at_most(child); zero && *zero <= harmless) child.zero = {};
    });
}

/// What then holds of exact sums is applied once more.
void RestExponents::two_terms() const {
    for (Round* const round : all_rounds(unit_)) {
        if (!is_as_exact(*round, unit_, ranges_)) continue;
        for (Child& child : std::get<Fuse>(round->get().kind).children) {
            child.F.reset();
            child.rounding = Rounding::rz;
        }
        alignment(*round);
    }
}

/// A floor f, or the exponent of a zero, acts where all terms have exponents below f. If they add up to less than
/// the smallest subnormal number, or half of it where results are rounded to nearest, the result is a zero whatever is
/// cut: +0, or one whose sign does not show. So it is where no term is cut that could be part of a larger sum.
/// @param hidden  whether no sign of a zero of the node shows
void RestExponents::too_small_to_show(Node& node, bool hidden) const {
    if (auto* const sum = std::get_if<Fuse>(&node.kind))
        for (Child& child : sum->children) too_small_to_show(child.get(), hidden);
    auto* const round = std::get_if<Round>(&node.kind);
    if (round == nullptr) return;
    too_small_to_show(round->get(), !round->zero_sign_ieee);
    auto* const fuse = std::get_if<Fuse>(&round->get().kind);
    const bool to_plus_zero = !round->zero_sign_ieee && !round->underflow_keeps_sign &&
                              (round->flush == Flush::none || !round->flush_keeps_sign);
    const bool to_zero = round->mode == Rounding::rz || is_nearest(round->mode);
    if (fuse == nullptr || fuse->carry || !to_zero || !(hidden || to_plus_zero)) return;
    const int smallest = format(round->format).last_place() - (is_nearest(round->mode) ? 1 : 0);
    const auto is_idle = [&](int f) {
        // The sum as it is, and with f as its reference.
        if (ranges_.sum_is_below(*fuse, smallest - (f - 1), 1)) return true;
        return lost_bits_never_show(unit_, *fuse, f, smallest);
    };
    if (fuse->floor && is_idle(*fuse->floor)) fuse->floor.reset();
    for (Child& child : fuse->children)
        if (const auto zero = ranges_.zero_exponent_at_most(child); zero && is_idle(*zero)) child.zero = {};
}

void RestExponents::flatten_sums() const {
    for_each_node(unit_.tree, [](Node& node) {
        if (auto* fuse = std::get_if<Fuse>(&node.kind)) flatten(*fuse, true);
    });
}

} // namespace discern
