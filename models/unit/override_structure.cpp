// Overrides of structure: blocks, groups, pairs, and where c enters.
#include "override_rules.hpp"

#include <algorithm>

namespace discern::overrides {

std::vector<Fuse*> require_product_fuses(Unit& unit, const Setting& s) {
    auto fuses = product_fuses(unit);
    if (fuses.empty()) s.meaningless("whose products are rounded one by one and not aligned in a fused sum");
    return fuses;
}

std::vector<Product*> require_products(Unit& unit, const Setting& s) {
    auto leaves = products(unit);
    if (leaves.empty()) s.meaningless("which sums groups and has no single products");
    return leaves;
}

Accumulator& require_accumulator(Unit& unit, const Setting& s) {
    Accumulator* c = accumulator(unit);
    if (c == nullptr) s.meaningless("which has no accumulator");
    return *c;
}

void set_P(Unit& unit, const Setting& s) {
    const int P = s.integer("a power of two from 2 to 64");
    if (P < 2 || P > 64 || (P & (P - 1)) != 0) s.wrong("a power of two from 2 to 64 is right");
    const auto* root = std::get_if<Round>(&unit.tree.kind);
    if (!product_fuses(unit).empty() || products(unit).empty() || root == nullptr)
        s.meaningless("which does not add products in pairs");
    Round rounding = *root;
    rounding.child.clear();
    const Accumulator* c = accumulator(unit);
    unit.tree = pairwise_tree(P, rounding, *products(unit).front(), c != nullptr, c != nullptr ? *c : Accumulator{});
    unit.L = P;
}

std::string get_P(Unit& unit) {
    const auto* root = std::get_if<Round>(&unit.tree.kind);
    if (!product_fuses(unit).empty() || products(unit).empty() || unit.L < 2 || root == nullptr) return "";
    Round rounding = *root;
    rounding.child.clear();
    const Accumulator* c = accumulator(unit);
    const Accumulator of_c = c != nullptr ? *c : Accumulator{};
    const bool in_pairs = unit.tree == pairwise_tree(unit.L, rounding, *products(unit).front(), c != nullptr, of_c);
    return in_pairs ? std::to_string(unit.L) : "";
}

void set_G(Unit& unit, const Setting& s) {
    const auto leaves = groups(unit);
    if (leaves.empty()) s.meaningless("which has no groups (G is for GST-FDPA)");
    for (Group* g : leaves) g->size = s.integer("the number of products in a group");
}

std::string get_G(Unit& unit) {
    const auto leaves = groups(unit);
    return leaves.empty() ? "" : std::to_string(leaves.front()->size);
}

void set_scale(Unit& unit, const Setting& s) {
    if (!unit.scale) s.meaningless("which has no scales");
    if (s.value != "1") s.wrong("1 is right");
    remove_scales(unit);
}

void set_L(Unit& unit, const Setting& s) { unit.L = s.integer("the number of products in a block"); }

void set_K(Unit& unit, const Setting& s) {
    unit.K = s.integer("the number of products");
    unit.L = std::min(unit.K, unit.L);
}

void set_interleave(Unit& unit, const Setting& s) { unit.interleave = s.integer("0 or the length of a run"); }

namespace {

/// Takes the accumulator out of the tree; returns how it was aligned.
Child remove_accumulator(Unit& unit, const Setting& s) {
    std::vector<Fuse*> fuses = aligning_fuses(unit);
    if (auto* root = std::get_if<Round>(&unit.tree.kind))
        if (auto* fuse = std::get_if<Fuse>(&root->get().kind)) fuses.push_back(fuse);
    for (Fuse* fuse : fuses)
        for (auto child = fuse->children.begin(); child != fuse->children.end(); ++child) {
            if (!is_accumulator(child->get()) || fuse->children.size() < 2) continue;
            Child removed = *child;
            fuse->children.erase(child);
            return removed;
        }
    s.wrong("c cannot be moved in this tree; early, late and last are for trees where c is a term of a fuse");
}

} // namespace

/// For a unit outside of the catalogue; resolve_unit reads the key for units of the catalogue.
void set_catalogue(Unit&, const Setting& s) { s.meaningless("which is written out; a name of the catalogue is right"); }

void set_c(Unit& unit, const Setting& s) {
    enum Place { early, late, last };
    static constexpr parametric::Word places[] = {{"early", early}, {"late", late}, {"last", last}};
    const int place = s.choice(places);
    require_accumulator(unit, s);
    unit.place = place == last ? AccumulatorPlace::last : AccumulatorPlace::chained;
    const bool is_late = has_late_accumulator(unit);
    if (place == last || (place == early) != is_late) return; // it is there already
    const Child c = remove_accumulator(unit, s);
    if (is_late) { // the root is now a round over a fuse of the block's own round alone
        Node block = std::get<Fuse>(std::get<Round>(unit.tree.kind).get().kind).children.front().get();
        unit.tree = std::move(block);
    }
    if (place == early) {
        auto fuses = product_fuses(unit);
        if (fuses.size() != 1) s.wrong("early needs a tree with one fused sum of products");
        Child aligned = fuses.front()->children.front();
        aligned.node = c.node;
        aligned.zero = c.zero;
        fuses.front()->children.push_back(aligned);
        return;
    }
    Fuse sum;
    sum.children = {Child{{unit.tree}, {}, Rounding::rz, {ZeroExponent::Kind::own, 0}, {}},
                    Child{c.node, {}, Rounding::rz, c.zero, {}}};
    unit.tree = {Round{.format = unit.d, .child = {Node{sum}}}}; // an IEEE addition
}

std::string get_c(Unit& unit) {
    if (accumulator(unit) == nullptr) return "";
    if (unit.place == AccumulatorPlace::last) return "last";
    return has_late_accumulator(unit) ? "late" : "early";
}

} // namespace discern::overrides
