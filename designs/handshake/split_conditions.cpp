#include "split_conditions.hpp"

#include "solver/backend/backend.hpp"

#include <algorithm>

namespace discern::rtl {

namespace {

constexpr double longest_split = 2; ///< seconds of a solver: whether a condition can hold

} // namespace

std::optional<Term> SplitConditions::of_registers(std::span<const Term> registers, const Renaming& stays,
                                                  const std::unordered_set<std::uint32_t>& undefined) const {
    for (const Term r : registers) {
        bool has_own = false, has_other = false;
        const std::vector<Term> cone = t_.cone(std::span(&r, 1));
        for (const Term x : cone) {
            if (t_.op(x) != Op::variable || undefined.contains(x.id)) continue;
            (stays.contains(x.id) ? has_own : has_other) = true;
        }
        if (!has_own || !has_other) continue;
        // Choices outside of everything else, and not those of arithmetic within.
        std::vector<Term> left = {r};
        while (!left.empty()) {
            const Term x = left.back();
            left.pop_back();
            if (t_.op(x) == Op::ite)
                if (const auto condition = in(t_.args(x).front())) return condition;
            const std::span<const Term> parts = t_.args(x);
            if (t_.op(x) == Op::ite) left.insert(left.end(), parts.begin() + 1, parts.end());
            if (t_.op(x) == Op::concat || t_.op(x) == Op::extract) left.insert(left.end(), parts.begin(), parts.end());
        }
    }
    return std::nullopt;
}

std::optional<Term> SplitConditions::in(Term port) const {
    const std::vector<Term> cone = t_.cone(std::span(&port, 1));
    const auto choice = std::find_if(cone.rbegin(), cone.rend(), [&](Term x) { return t_.op(x) == Op::ite; });
    Term at = choice == cone.rend() ? port : t_.args(*choice).front();
    for (bool inner = true; inner;) {
        inner = false;
        for (const Op op : {Op::bvnot, Op::bvand, Op::bvor, Op::bvxor})
            if (t_.op(at) == op) {
                at = t_.args(at).front();
                inner = true;
            }
    }
    for (const Term x : t_.cone(std::span(&at, 1)))
        if (t_.op(x) == Op::variable && !of_operands_.contains(x.id)) return std::nullopt;
    return at;
}

bool SplitConditions::are_possible(const std::vector<Term>& conditions) {
    Term all = t_.truth(true);
    for (const Term x : conditions) all = t_.bvand(all, x);
    if (t_.is_constant(all)) return t_.value(all).bit(0);
    for (const Term x : t_.cone(std::span(&all, 1)))
        if (const auto operand = of_operands_.find(x.id); operand != of_operands_.end())
            all = t_.bvand(all, operand->second);
    if (t_.is_constant(all)) return t_.value(all).bit(0);
    const auto [known, is_new] = possible_.emplace(all.id, true);
    if (!is_new || backends().empty()) return known->second;
    const auto backend = backends().front().make(t_, 0);
    backend->require(all);
    return known->second = backend->check(limit_.within(longest_split)) != Outcome::unsat;
}

} // namespace discern::rtl
