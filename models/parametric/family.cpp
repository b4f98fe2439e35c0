#include "family.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace discern::parametric {

namespace {

using Kind = ParametricNode::Kind;

bool same_form(const Node& x, const Node& y) {
    if (x.kind.index() != y.kind.index()) return false;
    if (const auto* p = std::get_if<Product>(&x.kind)) return p->which == std::get<Product>(y.kind).which;
    if (const auto* g = std::get_if<Group>(&x.kind)) {
        const auto& other = std::get<Group>(y.kind);
        return g->which == other.which && g->size == other.size;
    }
    if (const auto* r = std::get_if<Round>(&x.kind)) return same_form(r->get(), std::get<Round>(y.kind).get());
    const auto* f = std::get_if<Fuse>(&x.kind);
    return f == nullptr || std::equal(f->children.begin(), f->children.end(), std::get<Fuse>(y.kind).children.begin(),
                                      std::get<Fuse>(y.kind).children.end(), [](const Child& one, const Child& other) {
                                          return same_form(one.get(), other.get());
                                      });
}

/// Reads trees of one form side by side: each parameter of a part has a column, its values in all the units.
class Reader {
  public:
    explicit Reader(std::span<const Unit> units) : members_(units.size()) {
        structure_.name = "units of one tree";
        structure_.frame = units.front();
        std::vector<const Node*> roots;
        for (const Unit& unit : units) roots.push_back(&unit.tree);
        structure_.tree = node(roots);
    }

    std::optional<Family> family() && {
        const auto fits = [](const Variable& v) { return v.values.size() <= ValueSet::capacity; };
        if (!std::all_of(structure_.variables.begin(), structure_.variables.end(), fits)) return std::nullopt;
        return Family{std::move(structure_), std::move(members_)};
    }

  private:
    ParametricNode node(const std::vector<const Node*>& nodes) {
        ParametricNode result;
        const Node& first = *nodes.front();
        result.kind = static_cast<Kind>(first.kind.index());
        if (const auto* p = std::get_if<Product>(&first.kind)) {
            result.which = p->which;
            read<Product>(OwnerKind::product, parts<Product>(nodes), result.product);
        } else if (const auto* g = std::get_if<Group>(&first.kind)) {
            result.which = g->which;
            result.size = g->size;
            read<Group>(OwnerKind::group, parts<Group>(nodes), result.group);
        } else if (std::holds_alternative<Accumulator>(first.kind)) {
            read<Accumulator>(OwnerKind::accumulator, parts<Accumulator>(nodes), result.accumulator);
        } else if (const auto* fuse = std::get_if<Fuse>(&first.kind)) {
            const auto fuses = parts<Fuse>(nodes);
            for (std::size_t i = 0; i < fuse->children.size(); ++i) result.edges.push_back(edge(fuses, i));
            read<Fuse>(OwnerKind::fuse, fuses, result.fuse);
        } else {
            const auto rounds = parts<Round>(nodes);
            std::vector<const Node*> children;
            for (const Round* round : rounds) children.push_back(&round->get());
            result.child = {node(children)};
            read<Round>(OwnerKind::round, rounds, result.round);
        }
        return result;
    }

    ParametricEdge edge(const std::vector<const Fuse*>& fuses, std::size_t i) {
        std::vector<const Child*> children;
        std::vector<const Node*> nodes;
        for (const Fuse* fuse : fuses) {
            children.push_back(&fuse->children[i]);
            nodes.push_back(&fuse->children[i].get());
        }
        ParametricEdge result;
        result.node = {node(nodes)};
        read<Child, ChildAttributes<SlotOf>>(OwnerKind::child, children, result);
        return result;
    }

    template <typename T>
    static std::vector<const T*> parts(const std::vector<const Node*>& nodes) {
        std::vector<const T*> list;
        for (const Node* node : nodes) list.push_back(&std::get<T>(node->kind));
        return list;
    }

    template <typename T, typename Slots>
    void read(OwnerKind kind, const std::vector<const T*>& parts, Slots& slots) {
        for (const Parameter* p : parameters_of(kind)) {
            std::vector<int> column;
            for (const T* part : parts) column.push_back(p->get(part));
            p->slot_of(slots) = variable(*p, column);
        }
    }

    /// The variable of a column: one that there is, or a new one.
    Slot variable(const Parameter& parameter, const std::vector<int>& column) {
        const auto known = std::find(columns_.begin(), columns_.end(), std::pair(&parameter, column));
        if (known != columns_.end()) return static_cast<Slot>(known - columns_.begin());
        const auto earlier = std::count_if(columns_.begin(), columns_.end(),
                                           [&](const auto& other) { return other.first == &parameter; });
        const std::string_view name = parameter.key.empty() ? parameter.word : parameter.key;
        Variable made{
            std::string(name) + (earlier == 0 ? "" : " " + std::to_string(earlier + 1)), parameter.meaning, {}};
        const auto at = [&](int value) {
            return static_cast<std::size_t>(std::find(made.values.begin(), made.values.end(), value) -
                                            made.values.begin());
        };
        if (std::find(column.begin(), column.end(), parameter.preferred) != column.end())
            made.values.push_back(parameter.preferred);
        for (std::size_t i = 0; i < column.size(); ++i) {
            if (at(column[i]) == made.values.size()) made.values.push_back(column[i]);
            members_[i].push_back(at(column[i]));
        }
        columns_.emplace_back(&parameter, column);
        structure_.variables.push_back(std::move(made));
        return structure_.variables.size() - 1;
    }

    Structure structure_;
    std::vector<Assignment> members_;
    std::vector<std::pair<const Parameter*, std::vector<int>>> columns_; ///< of the variables, in their order
};

} // namespace

bool same_skeleton(const Unit& x, const Unit& y) {
    Unit framed = x;
    framed.tree = y.tree;
    return framed == y && same_form(x.tree, y.tree);
}

Structure structure_of(const Unit& unit) { return family_of(std::span(&unit, 1))->structure; }

std::optional<Family> family_of(std::span<const Unit> units) {
    if (units.empty()) return std::nullopt;
    const auto alike = [&](const Unit& unit) { return same_skeleton(unit, units.front()); };
    if (!std::all_of(units.begin(), units.end(), alike)) return std::nullopt;
    return Reader(units).family();
}

} // namespace discern::parametric
