#include "tree_shape.hpp"

#include <algorithm>
#include <functional>

namespace discern {

namespace {

template <typename T>
std::vector<T*> all(Unit& unit, const std::function<bool(const T&)>& wanted) {
    std::vector<T*> found;
    for_each_node(unit.tree, [&](Node& node) {
        if (auto* part = std::get_if<T>(&node.kind); part != nullptr && wanted(*part)) found.push_back(part);
    });
    return found;
}

template <typename T>
std::vector<T*> all(Unit& unit) {
    return all<T>(unit, [](const T&) { return true; });
}

bool has_child(const Fuse& fuse, bool (*kind)(const Node&)) {
    return std::any_of(fuse.children.begin(), fuse.children.end(), [kind](const Child& c) { return kind(c.get()); });
}

/// Whether a product fuse can be reached without passing a round.
bool reaches_product_fuse(const Node& node) {
    const auto* fuse = std::get_if<Fuse>(&node.kind);
    if (fuse == nullptr) return false;
    return has_child(*fuse, is_product_or_group) || has_child(*fuse, reaches_product_fuse);
}

Node rounded(const Round& rounding, Node child) {
    Round round = rounding;
    round.child = {std::move(child)};
    return {round};
}

Node exact_sum(std::vector<Node> terms) {
    Fuse fuse;
    for (Node& term : terms) {
        const auto zero = is_leaf(term) ? ZeroExponent{} : ZeroExponent{ZeroExponent::Kind::own, 0};
        fuse.children.push_back({.node = {std::move(term)}, .zero = zero});
    }
    return {fuse};
}

} // namespace

int depth(const Node& node) {
    int deepest = 0;
    if (const auto* fuse = std::get_if<Fuse>(&node.kind))
        for (const Child& child : fuse->children) deepest = std::max(deepest, depth(child.get()));
    if (const auto* round = std::get_if<Round>(&node.kind)) deepest = depth(round->get());
    return deepest + 1;
}

bool is_fuse(const Node& node) { return std::holds_alternative<Fuse>(node.kind); }
bool is_round(const Node& node) { return std::holds_alternative<Round>(node.kind); }
bool is_accumulator(const Node& node) { return std::holds_alternative<Accumulator>(node.kind); }
bool is_product_or_group(const Node& node) {
    return std::holds_alternative<Product>(node.kind) || std::holds_alternative<Group>(node.kind);
}

bool has_unusual(const Node& node, parametric::OwnerKind kind, std::string_view word) {
    const parametric::Parameter& parameter = parametric::parameter(kind, word);
    bool found = false;
    const auto look = [&](const parametric::ConstOwner& owner) {
        found = found || (static_cast<parametric::OwnerKind>(owner.index()) == kind &&
                          parameter.get(owner) != parameter.standard);
    };
    for_each_node(node, [&](const Node& n, const Child* edge) {
        if (edge != nullptr) look(edge);
        std::visit([&](const auto& part) { look(&part); }, n.kind);
    });
    return found;
}

bool has_accumulator(const Node& node) {
    bool found = false;
    for_each_node(node, [&](const Node& n) { found = found || is_accumulator(n); });
    return found;
}

bool has_scaled_sums(const Node& tree) {
    bool found = false;
    for_each_node(tree, [&](const Node&, const Child* edge) {
        found = found || (edge != nullptr && edge->scaled != Scaled::no);
    });
    return found;
}

void remove_scales(Unit& unit) {
    unit.scale.reset();
    for_each_node(unit.tree, [](Node&, Child* edge) {
        if (edge != nullptr) edge->scaled = Scaled::no;
    });
}

std::optional<int> first_element(const Node& node) {
    std::optional<int> first;
    for_each_node(node, [&](const Node& n) {
        if (first) return;
        if (const auto* p = std::get_if<Product>(&n.kind)) first = p->which.first;
        if (const auto* g = std::get_if<Group>(&n.kind)) first = g->which.first * g->size;
    });
    return first;
}

std::vector<Fuse*> product_fuses(Unit& unit) {
    return all<Fuse>(unit, [](const Fuse& f) { return has_child(f, is_product_or_group); });
}
std::vector<Fuse*> sum_fuses(Unit& unit) {
    return all<Fuse>(unit, [](const Fuse& f) { return has_child(f, is_fuse); });
}
std::vector<Fuse*> aligning_fuses(Unit& unit) {
    auto fuses = product_fuses(unit);
    const auto sums = sum_fuses(unit);
    fuses.insert(fuses.end(), sums.begin(), sums.end());
    return fuses;
}
std::vector<Round*> all_rounds(Unit& unit) { return all<Round>(unit); }
std::vector<Round*> final_rounds(Unit& unit) {
    std::vector<Round*> rounds;
    for_each_node(unit.tree, [&rounds, inner = static_cast<const Node*>(nullptr)](Node& node) mutable {
        auto* round = std::get_if<Round>(&node.kind);
        if (round == nullptr || &node == inner) { // the round of a round is not the last
            if (round != nullptr) inner = &round->get();
            return;
        }
        inner = &round->get();
        const Node* sum = inner;
        while (is_round(*sum)) sum = &std::get<Round>(sum->kind).get();
        if (reaches_product_fuse(*sum)) rounds.push_back(round);
    });
    return rounds.empty() ? all_rounds(unit) : rounds;
}
std::vector<Product*> products(Unit& unit) { return all<Product>(unit); }
std::vector<Group*> groups(Unit& unit) { return all<Group>(unit); }

Accumulator* accumulator(Unit& unit) {
    const auto found = all<Accumulator>(unit);
    return found.empty() ? nullptr : found.front();
}

Child* accumulator_child(Unit& unit) {
    for (Fuse* fuse : all<Fuse>(unit))
        for (Child& child : fuse->children)
            if (is_accumulator(child.get())) return &child;
    return nullptr;
}

bool has_late_accumulator(const Unit& unit) {
    const auto* root = std::get_if<Round>(&unit.tree.kind);
    const auto* fuse = root == nullptr ? nullptr : std::get_if<Fuse>(&root->get().kind);
    return fuse != nullptr && fuse->children.size() == 2 && has_child(*fuse, is_accumulator) &&
           has_child(*fuse, is_round);
}

Node pairwise_tree(int P, const Round& rounding, const Product& product, bool with_c, const Accumulator& c) {
    std::vector<Node> level;
    for (int k = 0; k < P; ++k) {
        Product p = product;
        p.which = {k, 0};
        level.push_back(rounded(rounding, {p}));
    }
    while (level.size() > 1) {
        std::vector<Node> next;
        for (std::size_t i = 0; i + 1 < level.size(); i += 2)
            next.push_back(rounded(rounding, exact_sum({level[i], level[i + 1]})));
        if (level.size() % 2 != 0) next.push_back(level.back());
        level = std::move(next);
    }
    return with_c ? rounded(rounding, exact_sum({{c}, level.front()})) : level.front();
}

} // namespace discern
