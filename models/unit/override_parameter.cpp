// Overrides of the parameters that have no rule of their own: the row of the table says which parts of the tree a key
// means and what its values are.
#include "override_rules.hpp"

namespace discern::overrides {

namespace {

using parametric::ConstOwner;
using parametric::find_word;
using parametric::Form;
using parametric::Meaning;
using parametric::Owner;
using parametric::OwnerKind;
using parametric::Parameter;
using parametric::Values;
using parametric::values_of;
using parametric::Where;

/// The parts that the key means, in the order of the tree.
std::vector<Owner> owners(Unit& unit, Where where) {
    std::vector<Owner> list;
    const auto add = [&list](const auto& parts) { list.insert(list.end(), parts.begin(), parts.end()); };
    if (where == Where::products) add(products(unit));
    if (where == Where::groups) add(groups(unit));
    if (where == Where::product_fuses) add(product_fuses(unit));
    if (where == Where::final_rounds) add(final_rounds(unit));
    if (where == Where::product_children)
        for (Fuse* fuse : product_fuses(unit))
            for (Child& child : fuse->children) list.emplace_back(&child);
    if (Accumulator* c = accumulator(unit); where == Where::accumulator && c != nullptr) list.emplace_back(c);
    if (Child* child = accumulator_child(unit); where == Where::c_child && child != nullptr) list.emplace_back(child);
    return list;
}

std::vector<Owner> require_owners(Unit& unit, const Setting& s, Where where) {
    if (where == Where::products) require_products(unit, s);
    if (where == Where::groups && groups(unit).empty()) s.meaningless("which has no groups");
    if (where == Where::product_fuses || where == Where::product_children) require_product_fuses(unit, s);
    if (where == Where::accumulator || where == Where::c_child) require_accumulator(unit, s);
    if (where == Where::c_child && (accumulator_child(unit) == nullptr || has_late_accumulator(unit)))
        s.meaningless("where c is no term of the fused sum");
    return owners(unit, where);
}

bool has_no_limit(const Parameter& p, const Owner& owner) {
    return p.form == Form::suffix && !std::get<Product*>(owner)->limit;
}

/// Whether few units have the parameter; what a frame inverts is said where there is one.
bool is_rare(const Parameter& p, const Owner& owner) {
    if (p.meaning == Meaning::opposed) return std::get<Fuse*>(owner)->frame == SignFrame::none;
    return p.form == Form::flag || (p.owner == OwnerKind::product && p.meaning == Meaning::optional_format) ||
           p.meaning == Meaning::frame || p.meaning == Meaning::step || p.meaning == Meaning::number;
}

/// Whether the part's value is not worth showing: it is about aligned terms, and the sum is exact.
bool is_exact(const Owner& owner) {
    if (auto* const* child = std::get_if<Child*>(&owner)) return !(*child)->F;
    auto* const* fuse = std::get_if<Fuse*>(&owner);
    return fuse != nullptr && !(*fuse)->children.front().F;
}

} // namespace

int Setting::value_of(const Parameter& parameter) const {
    const Values& values = values_of(parameter.meaning);
    const auto words = parameter.words();
    if (const auto found = find_word(words, value)) return *found;
    if (values.formats) return static_cast<int>(require_format(value, "override " + std::string(key)));
    if (!values.numbers) return choice(words);
    if (words.empty()) return integer("a whole number");
    const std::string first(words.front().text);
    return integer(words.size() == 1 ? "a whole number or " + first
                                     : first + ", " + std::string(words.back().text) + " or a whole number");
}

void set_parameter(Unit& unit, const Setting& s, const Parameter& parameter) {
    for (const Owner& owner : require_owners(unit, s, parameter.where)) {
        if (has_no_limit(parameter, owner)) s.meaningless("which has no limit on products");
        parameter.set(owner, s.value_of(parameter));
    }
}

std::string get_parameter(Unit& unit, const Parameter& parameter) {
    const auto parts = owners(unit, parameter.where);
    if (parts.empty() || is_exact(parts.front()) || has_no_limit(parameter, parts.front())) return "";
    const ConstOwner first = std::visit([](const auto* part) { return ConstOwner(part); }, parts.front());
    const int value = parameter.get(first);
    if (is_rare(parameter, parts.front()) && value == parameter.standard)
        return ""; // what few units have is said if it is there
    return parameter.value_text(value);
}

} // namespace discern::overrides
