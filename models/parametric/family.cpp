#include "family.hpp"

#include <algorithm>
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
                                          return one.scaled == other.scaled && same_form(one.get(), other.get());
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

namespace {

/// Reads off a structure with one value a variable which values another one needs to be the same.
class Matcher {
  public:
    Matcher(const Structure& structure, const Structure& unit)
        : structure_(structure), unit_(unit), chosen_(structure.variables.size()) {}

    std::optional<Assignment> run() {
        if (!same_frame(structure_.frame, unit_.frame) || !node(structure_.tree, unit_.tree)) return std::nullopt;
        Assignment all;
        for (const auto& one : chosen_) all.push_back(one.value_or(0)); // of variables that no node has
        return all;
    }

  private:
    static bool same_frame(const Unit& x, const Unit& y) {
        return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d && x.scale == y.scale && x.K == y.K && x.L == y.L &&
               x.interleave == y.interleave && x.place == y.place;
    }

    bool slot(Slot of_structure, Slot of_unit) {
        if (of_structure == no_slot || of_unit == no_slot) return of_structure == of_unit;
        const std::vector<int>& values = structure_.variables[of_structure].values;
        const int value = unit_.variables[of_unit].values.front();
        const auto found = std::find(values.begin(), values.end(), value);
        if (found == values.end()) return false;
        const auto index = static_cast<std::size_t>(found - values.begin());
        std::optional<std::size_t>& chosen = chosen_[of_structure];
        if (chosen && *chosen != index) return false;
        chosen = index;
        return true;
    }

    template <typename Slots>
    bool slots(const Slots& of_structure, const Slots& of_unit) {
        bool fits = true;
        Slots::zip(of_structure, of_unit, [&](Slot x, Slot y) { fits = fits && slot(x, y); });
        return fits;
    }

    bool node(const ParametricNode& x, const ParametricNode& y) {
        if (x.kind != y.kind || x.edges.size() != y.edges.size() || x.child.size() != y.child.size()) return false;
        const bool leaf = x.kind == Kind::product || x.kind == Kind::group;
        if (leaf && !(x.which == y.which)) return false;
        if (x.kind == Kind::group && x.size != y.size) return false;
        if (!slots(x.product, y.product) || !slots(x.group, y.group) || !slots(x.accumulator, y.accumulator) ||
            !slots(x.fuse, y.fuse) || !slots(x.round, y.round))
            return false;
        for (std::size_t i = 0; i < x.edges.size(); ++i) {
            using Slots = ChildAttributes<SlotOf>;
            if (!slots<Slots>(x.edges[i], y.edges[i]) || !node(x.edges[i].node.front(), y.edges[i].node.front()))
                return false;
        }
        return x.child.empty() || node(x.child.front(), y.child.front());
    }

    const Structure &structure_, &unit_;
    std::vector<std::optional<std::size_t>> chosen_;
};

} // namespace

std::optional<Assignment> assignment_of(const Structure& structure, const Unit& unit) {
    return Matcher(structure, structure_of(unit)).run();
}

Structure structure_of(const Unit& unit) { return family_of(std::span(&unit, 1))->structure; }

std::optional<Family> family_of(std::span<const Unit> units) {
    if (units.empty()) return std::nullopt;
    const auto alike = [&](const Unit& unit) { return same_skeleton(unit, units.front()); };
    if (!std::all_of(units.begin(), units.end(), alike)) return std::nullopt;
    return Reader(units).family();
}

} // namespace discern::parametric
