// Overrides of fused sums that have rules of their own: fraction bits, two-level sums, reference exponents of zeros.
#include "override_rules.hpp"

#include <algorithm>

namespace discern::overrides {

using namespace parametric;

namespace {

/// The alignment that the algorithms call F2: of the sum of products, where it meets c.
bool is_F2(const Fuse& fuse, const Child& child) {
    return is_fuse(child.get()) && std::any_of(fuse.children.begin(), fuse.children.end(),
                                               [](const Child& other) { return is_accumulator(other.get()); });
}

} // namespace

void set_F(Unit& unit, const Setting& s) {
    const std::optional<int> F = s.integer_or("exact");
    auto fuses = require_product_fuses(unit, s);
    const std::optional<int> before = fuses.front()->children.front().F;
    const auto sums = sum_fuses(unit);
    fuses.insert(fuses.end(), sums.begin(), sums.end());
    for (Fuse* fuse : fuses)
        for (Child& child : fuse->children) {
            if (is_F2(*fuse, child)) continue;
            child.F = F;
            // Algorithm 11, line 24: the special truncation of c is at F + 1.
            if (F && before && child.drop == *before + 1) child.drop = *F + 1;
        }
}

std::string get_F(Unit& unit) {
    const auto fuses = product_fuses(unit);
    return fuses.empty() ? "" : text_or(fuses.front()->children.front().F, "exact");
}

namespace {

Child* F2_child(Unit& unit) {
    for (Fuse* fuse : sum_fuses(unit))
        for (Child& child : fuse->children)
            if (is_F2(*fuse, child)) return &child;
    return nullptr;
}

} // namespace

void set_F2(Unit& unit, const Setting& s) {
    Child* child = F2_child(unit);
    if (child == nullptr) s.meaningless("which has no two-level sum (F2 is for TR- and GTR-FDPA)");
    child->F = s.integer_or("exact");
}

std::string get_F2(Unit& unit) {
    const Child* child = F2_child(unit);
    return child == nullptr ? "" : text_or(child->F, "exact");
}

void set_sum(Unit& unit, const Setting& s) {
    const auto fuses = sum_fuses(unit);
    if (fuses.empty()) s.meaningless("which has no two-level sum (sum is for TR- and GTR-FDPA)");
    for (Fuse* fuse : fuses)
        for (Child& child : fuse->children)
            child.rounding = static_cast<Rounding>(s.choice(values_of(Meaning::mode).words));
}

std::string get_sum(Unit& unit) {
    const auto fuses = sum_fuses(unit);
    return fuses.empty() ? "" : std::string(name(fuses.front()->children.front().rounding));
}

namespace {

const Parameter& zero_parameter() { return parameter(OwnerKind::child, "zero"); }

} // namespace

void set_zero(Unit& unit, const Setting& s) {
    const int zero = s.value_of(zero_parameter());
    auto fuses = require_product_fuses(unit, s);
    const auto sums = sum_fuses(unit);
    fuses.insert(fuses.end(), sums.begin(), sums.end());
    for (Fuse* fuse : fuses)
        for (Child& child : fuse->children)
            if (is_leaf(child.get())) zero_parameter().set(&child, zero);
}

std::string get_zero(Unit& unit) {
    const auto fuses = product_fuses(unit);
    if (fuses.empty() || !fuses.front()->children.front().F) return "";
    std::string text;
    for (const Child& child : fuses.front()->children) {
        const std::string one = zero_parameter().value_text(zero_parameter().get(&child));
        if (text.empty())
            text = one;
        else if (is_accumulator(child.get()) && text != one)
            text += ", c " + one;
    }
    return text;
}

} // namespace discern::overrides
