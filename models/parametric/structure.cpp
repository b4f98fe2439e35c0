#include "structure.hpp"

#include "models/format.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern::parametric {

namespace {

/// Puts the values of an assignment into a tree.
class Builder {
  public:
    Builder(const Structure& structure, const Assignment& assignment)
        : variables_(structure.variables), assignment_(assignment) {}

    Node build(const ParametricNode& node) const {
        switch (node.kind) {
        case ParametricNode::Kind::product: {
            Product product{.which = node.which};
            put(OwnerKind::product, &product, node.product);
            return {product};
        }
        case ParametricNode::Kind::group: {
            Group group{.which = node.which, .size = node.size};
            put(OwnerKind::group, &group, node.group);
            return {group};
        }
        case ParametricNode::Kind::accumulator: {
            Accumulator c;
            put(OwnerKind::accumulator, &c, node.accumulator);
            return {c};
        }
        case ParametricNode::Kind::fuse: {
            Fuse fuse;
            for (const ParametricEdge& edge : node.edges) {
                Child child{.node = {build(edge.node.front())}};
                put<ChildAttributes<SlotOf>>(OwnerKind::child, &child, edge);
                fuse.children.push_back(std::move(child));
            }
            put(OwnerKind::fuse, &fuse, node.fuse);
            return {std::move(fuse)};
        }
        case ParametricNode::Kind::round: {
            Round round{.child = {build(node.child.front())}};
            put(OwnerKind::round, &round, node.round);
            return {std::move(round)};
        }
        }
        throw std::logic_error("a node without kind");
    }

  private:
    template <typename Slots>
    void put(OwnerKind kind, const Owner& owner, const Slots& slots) const {
        for (const Parameter* p : parameters_of(kind)) {
            const Slot slot = p->slot_of(slots);
            p->set(owner, slot == no_slot ? p->standard : variables_[slot].values[assignment_[slot]]);
        }
        clear_unused(owner);
    }

    const std::vector<Variable>& variables_;
    const Assignment& assignment_;
};

bool has_no_subnormals(FormatId id) { return !format(id).has_subnormals(); }

/// Takes back the flushes of formats that have nothing to flush, which are no unit: whatever a variable says.
void clear_unused_flushes(Unit& unit) {
    const bool products = has_no_subnormals(unit.a) && has_no_subnormals(unit.b);
    // What is added last is not read by the tree: +0 of d's format is.
    const bool reads_c = unit.c && unit.place == AccumulatorPlace::chained;
    const bool c = has_no_subnormals(reads_c ? *unit.c : unit.d) && (unit.blocks() == 1 || has_no_subnormals(unit.d));
    for_each_node(unit.tree, [&](Node& node) {
        const auto clear = [](auto& leaf) {
            leaf.ftz = false;
            leaf.fsign_keep = leaf.zin_keep = true;
        };
        if (auto* p = std::get_if<Product>(&node.kind); p != nullptr && products) clear(*p);
        if (auto* a = std::get_if<Accumulator>(&node.kind); a != nullptr && c) clear(*a);
        if (auto* r = std::get_if<Round>(&node.kind); r != nullptr && has_no_subnormals(r->format)) {
            r->ftz = Flush::none;
            r->fsign_keep = true;
        }
    });
}

} // namespace

std::optional<int> first_element(const ParametricNode& node) {
    if (node.kind == ParametricNode::Kind::product) return node.which.first;
    if (node.kind == ParametricNode::Kind::group) return node.which.first * node.size;
    for (const ParametricNode& child : node.child) return first_element(child);
    for (const ParametricEdge& edge : node.edges)
        if (const auto first = first_element(edge.node.front())) return first;
    return std::nullopt;
}

std::string Variable::text(std::size_t index) const { return text_of(meaning, values[index]); }

Box Structure::box(std::size_t index) const {
    Box box{index, {}};
    for (const Variable& v : variables) box.sets.push_back(ValueSet::all(v.values.size()));
    return box;
}

Unit Structure::member(const Assignment& assignment) const {
    Unit unit = frame;
    unit.tree = Builder(*this, assignment).build(tree);
    clear_unused_flushes(unit);
    return unit;
}

Assignment Structure::first_of(const Box& box) {
    Assignment member;
    for (const ValueSet& set : box.sets) member.push_back(set.first());
    return member;
}

bool UnitSpace::is_unit() const {
    return boxes.size() == 1 && std::all_of(boxes.front().sets.begin(), boxes.front().sets.end(),
                                            [](const ValueSet& set) { return set.is_single(); });
}

} // namespace discern::parametric
