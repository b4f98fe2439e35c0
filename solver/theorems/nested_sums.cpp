// See nested_sums.hpp.
#include "nested_sums.hpp"

#include "rest_common.hpp"

#include "models/tree_shape.hpp"

#include <algorithm>
#include <climits>

namespace discern {

namespace {

/// The largest exponent of all children but one, and of the floor; nothing if it is not known, or there are none.
std::optional<int> highest_beside(const Fuse& fuse, const Child& but, const Ranges& ranges) {
    Fuse others = fuse;
    others.children.clear();
    for (const Child& child : fuse.children)
        if (&child != &but) others.children.push_back(child);
    return others.children.empty() ? std::nullopt : ranges.highest_exponent(others);
}

/// The product of which alone the sum is made.
const Child* only_product(const Fuse& fuse, const Unit& unit) {
    if (fuse.floor || fuse.carry || fuse.children.size() != 1) return nullptr;
    const Child& term = fuse.children.front();
    const auto* product = std::get_if<Product>(&term.get().kind);
    return product != nullptr && count(product->which, unit.L) == 1 && !term.drop ? &term : nullptr;
}

/// A rounded sum of one term, too, if the term has no more bits than are kept below its own exponent.
void replace_rounded_sum_of_one(Round& round, const Unit& unit, const Ranges& ranges) {
    const auto* sum = std::get_if<Fuse>(&round.get().kind);
    const Child* term = sum == nullptr ? nullptr : only_product(*sum, unit);
    if (term == nullptr || term->zero.kind == ZeroExponent::Kind::constant) return;
    const int bits = ranges.fraction_bits(term->get());
    if (term->F.value_or(bits) < bits) return;
    Node alone = term->get();
    round.get() = std::move(alone);
}

/// A sum of one term is that term, if the term has no more bits than are kept below its own exponent; or if it is cut
/// again, at the same place or above it, in a way that gives what the second cut alone gives.
void replace_sums_of_one(Fuse& fuse, const Unit& unit, const Ranges& ranges) {
    for (Child& child : fuse.children) {
        const auto* inner = std::get_if<Fuse>(&child.get().kind);
        const Child* const only = inner == nullptr ? nullptr : only_product(*inner, unit);
        if (only == nullptr || child.zero.kind != ZeroExponent::Kind::own ||
            only->zero.kind == ZeroExponent::Kind::constant)
            continue;
        const Child& term = *only;
        const int bits = ranges.fraction_bits(term.get());
        const bool cut_again =
            child.F && term.F && *child.F <= *term.F && child.rounding == term.rounding && !is_nearest(term.rounding);
        if (term.F.value_or(bits) < bits && !cut_again) continue;
        child.zero = term.zero;
        Node alone = term.get();
        child.get() = std::move(alone);
    }
}

/// Let E' be the exponent of the sum within. Where E = E', what was aligned to fewer bits there is not cut again; where
/// E is that of another term, it is so small that E − F is below all there is.
void exact_within(Fuse& fuse, const Ranges& ranges) {
    if (fuse.carry) return;
    for (Child& child : fuse.children) {
        const auto* inner = std::get_if<Fuse>(&child.get().kind);
        if (inner == nullptr || !child.F || child.drop) continue;
        int F = 0;
        for (const Child& term : inner->children) F = std::max(F, term.F.value_or(INT_MAX));
        const auto others = highest_beside(fuse, child, ranges);
        const int place = std::max(ranges.last_place_of_all(), ranges.last_place_of_terms(child.get()));
        if (F > *child.F || !others || *others - *child.F > place) continue;
        child.F.reset();
        child.rounding = Rounding::rz;
    }
}

/// With the larger exponents of the terms around it, a term that is not cut within by more than its own sum's exponent
/// is not cut either: where E is that of another term, E − F is below all there is.
void join(Fuse& fuse, const Ranges& ranges) {
    std::vector<Child> children;
    for (const Child& child : fuse.children) {
        const auto* inner = std::get_if<Fuse>(&child.get().kind);
        const auto others = highest_beside(fuse, child, ranges);
        const bool joins = inner != nullptr && others && !child.F && !child.drop && !inner->floor && !inner->carry &&
                           child.zero.kind == ZeroExponent::Kind::own &&
                           std::all_of(inner->children.begin(), inner->children.end(), [&](const Child& term) {
                               const int place =
                                   std::max(ranges.last_place_of_all(), ranges.last_place_of_terms(term.get()));
                               return !term.drop && (!term.F || *others - *term.F <= place);
                           });
        if (joins)
            children.insert(children.end(), inner->children.begin(), inner->children.end());
        else
            children.push_back(child);
    }
    fuse.children = std::move(children);
}

/// Whether a rounding gives +0 for every zero.
bool only_plus_zero(const Round& round, const Ranges& ranges) {
    const bool underflows = ranges.last_place_of_sum(round.get()) < format(round.format).last_place();
    return !round.zero_sign_ieee && (round.flush == Flush::none || !round.flush_keeps_sign) &&
           !(underflows && round.underflow_keeps_sign);
}

} // namespace

void join_nested_sums(Unit& unit, const Ranges& ranges) {
    for_each_node(unit.tree, [&](Node& node) {
        if (auto* round = std::get_if<Round>(&node.kind)) replace_rounded_sum_of_one(*round, unit, ranges);
        auto* fuse = std::get_if<Fuse>(&node.kind);
        if (fuse == nullptr) return;
        replace_sums_of_one(*fuse, unit, ranges);
        exact_within(*fuse, ranges);
        join(*fuse, ranges);
    });
}

void leave_out_idle_roundings(Unit& unit, const Ranges& ranges, const Magnitudes& magnitudes) {
    for_each_node(unit.tree, [&](Node& node) {
        auto* round = std::get_if<Round>(&node.kind);
        auto* fuse = round == nullptr ? nullptr : std::get_if<Fuse>(&round->get().kind);
        if (fuse == nullptr || fuse->carry ||
            std::any_of(fuse->children.begin(), fuse->children.end(),
                        [](const Child& child) { return child.F || child.drop; }))
            return;
        fuse->floor.reset();
        // An exact sum is −0 only if all terms are, or by the mode.
        for (const Child& child : fuse->children)
            if (const auto* inner = std::get_if<Round>(&child.get().kind);
                inner != nullptr && round->mode != Rounding::rd && only_plus_zero(*inner, ranges))
                round->zero_sign_ieee = false;
        for (Child& child : fuse->children) {
            child.zero = {};
            const auto* inner = std::get_if<Round>(&child.get().kind);
            // It would make an infinity of a product one like any other.
            const auto has_limit = [](Node& below) {
                bool found = false;
                for_each_node(below, [&](Node& n) {
                    const auto* product = std::get_if<Product>(&n.kind);
                    found = found || (product != nullptr && product->limit);
                });
                return found;
            };
            // Within it, too, a sum is −0 if all of its terms are; some formats have none.
            const auto by_terms = [](const Round& r) {
                return r.zero_sign_ieee && r.mode != Rounding::rd && format(r.format).specials != Specials::fnuz;
            };
            // Which NaN comes first is asked at each rounding.
            if (unit.nan.kind == NanRule::Kind::propagate || inner == nullptr || inner->flush != Flush::none ||
                has_limit(child.get()) || (round->zero_sign_ieee && !(by_terms(*round) && by_terms(*inner))) ||
                !magnitudes.cannot_overflow(*inner) ||
                !magnitudes.is_exact(*inner, ranges.last_place_of_sum(inner->get())))
                continue;
            Node sum = inner->get();
            child.get() = std::move(sum);
        }
    });
}

} // namespace discern
