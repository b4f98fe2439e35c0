// Overrides of fused sums that have rules of their own: fraction bits, two-level sums, reference exponents of zeros.
#include "override_rules.hpp"

#include <algorithm>

namespace discern::overrides {

using parametric::Meaning;
using parametric::OwnerKind;
using parametric::Parameter;
using parametric::parameter;
using parametric::values_of;

namespace {

/// The alignment that the algorithms call F2: of the sum of products, where it meets c.
bool is_F2(const Fuse& fuse, const Child& child) {
    return is_fuse(child.get()) && std::any_of(fuse.children.begin(), fuse.children.end(),
                                               [](const Child& other) { return is_accumulator(other.get()); });
}

} // namespace

void set_F(Unit& unit, const Setting& s) {
    const std::optional<int> F = s.integer_or("exact");
    const std::optional<int> before = require_product_fuses(unit, s).front()->children.front().F;
    for (Fuse* fuse : aligning_fuses(unit))
        for (Child& child : fuse->children) {
            if (is_F2(*fuse, child)) continue;
            child.F = F;
            // Algorithm 11, line 24: the special truncation of c is at F + 1.
            if (F && before && child.drop == *before + 1) child.drop = *F + 1;
        }
}

std::string get_F(Unit& unit) {
    if (product_fuses(unit).empty()) return "";
    std::vector<std::optional<int>> all; // the values that there are: usually one
    for (const Fuse* fuse : aligning_fuses(unit))
        for (const Child& child : fuse->children)
            if (!is_F2(*fuse, child) && std::find(all.begin(), all.end(), child.F) == all.end()) all.push_back(child.F);
    std::string text;
    for (const auto& F : all) text += (text.empty() ? "" : ", ") + text_or(F, "exact");
    return text;
}

namespace {

Child* F2_child(Unit& unit) {
    for (Fuse* fuse : sum_fuses(unit))
        for (Child& child : fuse->children)
            if (is_F2(*fuse, child)) return &child;
    return nullptr;
}

/// The rounding of a two-level sum before that to d's format, or nullptr. It has the mode of the sum; another one is of
/// the result.
Round* rounding_of_sum(Unit& unit) {
    Round* found = nullptr;
    const auto fuses = sum_fuses(unit);
    if (fuses.empty()) return nullptr;
    const Rounding mode = fuses.front()->children.front().rounding;
    for (Round* last : final_rounds(unit))
        if (auto* inner = std::get_if<Round>(&last->get().kind);
            inner != nullptr && inner->mode == mode && is_fuse(inner->get()))
            found = inner;
    return found;
}

} // namespace

void set_F2(Unit& unit, const Setting& s) {
    Child* child = F2_child(unit);
    if (child == nullptr) s.meaningless("which has no two-level sum (F2 is for TR- and GTR-FDPA)");
    const std::optional<int> F2 = s.integer_or("exact");
    Round* inner = rounding_of_sum(unit);
    if (inner == nullptr) {
        child->F = F2;
        return;
    }
    // The sum that c joins keeps one bit more than F2; the total is then rounded to F2 bits.
    if (!F2) s.wrong("a whole number is right where the whole sum is rounded to F2 bits");
    const auto format = format_of_fields(8, *F2, Specials::ieee);
    if (!format) s.wrong("a whole number from 1 to 52 is right");
    child->F = *F2 + 1;
    inner->format = *format;
}

std::string get_F2(Unit& unit) {
    const Child* child = F2_child(unit);
    if (child == nullptr) return "";
    const Round* inner = rounding_of_sum(unit);
    return inner == nullptr ? text_or(child->F, "exact") : std::to_string(format(inner->format).mantissa_bits);
}

void set_sum(Unit& unit, const Setting& s) {
    const auto fuses = sum_fuses(unit);
    if (fuses.empty()) s.meaningless("which has no two-level sum (sum is for TR- and GTR-FDPA)");
    Round* const inner = rounding_of_sum(unit);
    for (Fuse* fuse : fuses)
        for (Child& child : fuse->children)
            child.rounding = static_cast<Rounding>(s.choice(values_of(Meaning::mode).words));
    if (inner != nullptr) inner->mode = fuses.front()->children.front().rounding;
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
    require_product_fuses(unit, s);
    for (Fuse* fuse : aligning_fuses(unit))
        for (Child& child : fuse->children)
            if (is_leaf(child.get())) zero_parameter().set(&child, zero);
}

std::string get_zero(Unit& unit) {
    const auto fuses = product_fuses(unit);
    if (fuses.empty() || !fuses.front()->children.front().F) return "";
    const auto of = [](const Child& child) { return zero_parameter().value_text(zero_parameter().get(&child)); };
    const std::string text = of(fuses.front()->children.front());
    const Child* c = accumulator_child(unit);
    return c == nullptr || !c->F || of(*c) == text ? text : text + ", c " + of(*c);
}

} // namespace discern::overrides
