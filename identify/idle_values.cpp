#include "idle_values.hpp"

#include "solver/theorems/ranges.hpp"

#include <algorithm>
#include <climits>
#include <initializer_list>
#include <numeric>

namespace discern::identify {

namespace {

using Kind = ParametricNode::Kind;

class Idle {
  public:
    Idle(const Structure& structure, const Box& box)
        : s_(structure), box_(box), ranges_(structure.frame), least_F_(box.sets.size(), INT_MAX),
          aligns_(box.sets.size()), cutting_modes_(box.sets.size()) {
        std::vector<std::size_t> themselves(ValueSet::capacity);
        std::iota(themselves.begin(), themselves.end(), 0);
        stands_for_.assign(box.sets.size(), themselves);
    }

    std::vector<std::vector<std::size_t>> run() {
        visit_nodes(s_.tree, [&](const ParametricNode& node) {
            if (node.kind == Kind::product && all(node.limit, [](int n) { return n == none; }))
                join(node.yields, [](int) { return true; });
            if (node.kind == Kind::round) join_overflows(node);
        });
        visit_nodes(s_.tree, [&](const ParametricNode& node) {
            if (node.kind != Kind::fuse) return;
            join_registers(node);
            const Reference reference = reference_of(node);
            for (const auto& edge : node.edges) read(edge, reference);
        });
        if (has_register_) return std::move(stands_for_);
        bool all_idle = true;
        for (Slot v = 0; v < s_.variables.size(); ++v) {
            if (s_.variables[v].meaning == Meaning::fraction && least_F_[v] != INT_MAX) {
                join(v, [&](int F) { return F == exact || F >= least_F_[v]; });
                all_idle = all_idle && never_cuts(v);
            }
            if (s_.variables[v].meaning == Meaning::drop) {
                join(v, [&](int n) { return n == none || n >= least_drop_; });
                all_idle = all_idle && all(v, [&](int n) { return n == none || n >= least_drop_; });
            }
        }
        for (Slot v = 0; v < s_.variables.size(); ++v) {
            const Meaning meaning = s_.variables[v].meaning;
            if (meaning == Meaning::mode && aligns_[v] && !cutting_modes_[v]) join(v, [](int) { return true; });
            if (meaning == Meaning::floor || meaning == Meaning::zero)
                join(v, [&](int z) { return all_idle || z == none || z == ignore || (z != own && z <= harmless_); });
            if (all_idle && (meaning == Meaning::normalisation || meaning == Meaning::optional_format))
                join(v, [](int) { return true; });
        }
        return std::move(stands_for_);
    }

  private:
    template <typename Visit>
    void for_possible(Slot slot, Visit visit) const {
        box_.sets[slot].for_each([&](std::size_t i) { visit(s_.variables[slot].values[i]); });
    }
    template <typename Predicate>
    bool all(Slot slot, Predicate predicate) const {
        bool result = true;
        for_possible(slot, [&](int value) { result = result && predicate(value); });
        return result;
    }
    bool never_cuts(Slot F) const {
        return all(F, [&](int f) { return f == exact || f >= least_F_[F]; });
    }
    /// The first of the values that satisfy the predicate stands for all of them.
    template <typename Predicate>
    void join(Slot v, Predicate predicate) {
        std::size_t first = ValueSet::capacity;
        box_.sets[v].for_each([&](std::size_t i) {
            if (!predicate(s_.variables[v].values[i])) return;
            first = std::min(first, i);
            stands_for_[v][i] = first;
        });
    }

    /// Where IEEE 754 says the same for all modes. Roundings that share the one share the other.
    void join_overflows(const ParametricNode& round) {
        const auto are = [&](std::initializer_list<Rounding> modes, Overflow same) {
            if (!all(round.mode,
                     [&](int m) { return std::find(modes.begin(), modes.end(), Rounding(m)) != modes.end(); }))
                return;
            join(round.overflow, [&](int o) { return Overflow(o) == same || Overflow(o) == Overflow::ieee; });
        };
        are({Rounding::rne, Rounding::rna}, Overflow::infinity);
        are({Rounding::rz, Rounding::odd}, Overflow::largest);
    }

    template <typename Visit>
    static void visit_nodes(const ParametricNode& node, Visit visit) {
        visit(node);
        for (const auto& edge : node.edges) visit_nodes(edge.node.front(), visit);
        for (const ParametricNode& child : node.child) visit_nodes(child, visit);
    }

    /// No reference exponent of a sum is larger, of any member.
    struct Reference {
        int highest = INT_MIN; ///< with c
        int others = INT_MIN;  ///< without: what can drop c
        void up_to(int e) {
            highest = std::max(highest, e);
            others = std::max(others, e);
        }
    };
    Reference reference_of(const ParametricNode& node) const {
        const Unit& u = s_.frame;
        const int scales = u.scale ? 2 * format(u.scale->format).emax() + 2 : 0; // significands below 2
        Reference reference;
        const auto constant = [&](int z) {
            if (z != none && z != ignore && z != own) reference.up_to(z);
        };
        switch (node.kind) {
        case Kind::product: {
            const bool raw = all(node.normalisation, [](int n) { return n == static_cast<int>(Normalisation::raw); });
            reference.up_to(format(u.a).emax() + format(u.b).emax() + (raw ? 0 : 1) + scales);
            break;
        }
        case Kind::group: reference.up_to(scales); break;
        case Kind::accumulator:
            reference.highest = std::max(format(u.d).emax(), u.c ? format(*u.c).emax() : INT_MIN);
            break;
        case Kind::round:
            for_possible(node.format, [&](int id) { reference.up_to(format(static_cast<FormatId>(id)).emax()); });
            break;
        case Kind::fuse:
            for_possible(node.floor, constant);
            for (const auto& edge : node.edges) {
                for_possible(edge.zero, constant);
                const Reference below = reference_of(edge.node.front());
                reference.highest = std::max(reference.highest, below.highest);
                reference.others = std::max(reference.others, below.others);
            }
            break;
        }
        return reference;
    }

    /// The normalisation that leaves the largest significands.
    Normalisation largest_of(const ParametricNode& product) const {
        constexpr int raw = static_cast<int>(Normalisation::raw);
        const bool normalised = all(product.normalisation, [](int n) { return n != raw; });
        return normalised ? Normalisation::carry : Normalisation::raw;
    }

    /// Registers that hold every sum, in every member, are as good as wide ones.
    void join_registers(const ParametricNode& node) {
        Fuse largest; // the sum, as each of the members bounds it at best
        for (const auto& edge : node.edges) {
            const ParametricNode& below = edge.node.front();
            Child child;
            const bool truncates = all(edge.mode, [](int m) { return m == static_cast<int>(Rounding::rz); });
            child.rounding = truncates ? Rounding::rz : Rounding::ru;
            for_possible(edge.F, [&](int F) {
                if (F != exact) child.F = std::min(child.F.value_or(F), F);
            });
            if (below.kind == Kind::product) child.node = {Node{Product{below.which, largest_of(below)}}};
            if (below.kind == Kind::accumulator) child.node = {Node{Accumulator{}}};
            if (!child.node.empty()) largest.children.push_back(std::move(child));
        }
        const bool of_leaves = largest.children.size() == node.edges.size();
        const auto holds = [&](int w) { return w == none || (of_leaves && ranges_.sum_is_below(largest, w + 2)); };
        join(node.carry, holds);
        has_register_ = has_register_ || !all(node.carry, holds);
    }

    /// The values of the node are multiples of 2 to this power, in every member.
    int last_place(const ParametricNode& node) const {
        const Unit& u = s_.frame;
        int place = INT_MAX;
        switch (node.kind) {
        case Kind::product:
        case Kind::group: return ranges_.last_place_of_products();
        case Kind::accumulator: return *ranges_.last_place(Node{Accumulator{}});
        case Kind::round:
            for_possible(node.format,
                         [&](int id) { place = std::min(place, format(static_cast<FormatId>(id)).last_place()); });
            return place;
        case Kind::fuse:
            for (const auto& edge : node.edges) place = std::min(place, last_place(edge.node.front()));
            return place;
        }
        return format(u.d).last_place();
    }

    void read(const ParametricNode::Edge& edge, const Reference& reference) {
        const int place = std::max(last_place(edge.node.front()), ranges_.last_place_of_all());
        // A slot that several edges share is idle where it is for all.
        int& least = least_F_[edge.F];
        least = least == INT_MAX ? reference.highest - place : std::max(least, reference.highest - place);
        aligns_[edge.mode] = true;
        for_possible(edge.F, [&](int F) {
            if (F == exact) return;
            harmless_ = std::min(harmless_, place + F); // at or below its last place a term is not cut
            if (reference.highest - F > place) cutting_modes_[edge.mode] = true;
        });
        const bool is_c = edge.node.front().kind == Kind::accumulator;
        const int lowest = is_c ? lowest_exponent_of_c() : INT_MIN / 4;
        for_possible(edge.drop, [&](int n) {
            if (n != none) harmless_ = std::min(harmless_, lowest + n);
        });
        if (!all(edge.drop, [](int n) { return n == none; }))
            least_drop_ = std::max(least_drop_, (is_c ? reference.others : reference.highest) - lowest);
    }

    /// No c that is not zero has a smaller exponent, read in any of the formats that are possible.
    int lowest_exponent_of_c() const {
        const Unit& u = s_.frame;
        const bool chained = u.place == AccumulatorPlace::chained;
        bool converted = false;
        for (const Variable& v : s_.variables)
            converted = converted || (v.meaning == Meaning::optional_format && v.values.size() > 1);
        if (converted) return *ranges_.last_place(Node{Accumulator{}});
        const int of_result = format(u.d).emin();
        return u.c && chained ? std::min(of_result, format(*u.c).emin()) : of_result;
    }

    const Structure& s_;
    const Box& box_;
    const Ranges ranges_;
    std::vector<std::vector<std::size_t>> stands_for_; ///< by variable and value
    bool has_register_ = false;                        ///< that can wrap
    std::vector<int> least_F_;                         ///< by slot: from here on nothing is cut; INT_MAX: no F
    int least_drop_ = INT_MIN;                         ///< from here on nothing is dropped
    int harmless_ = INT_MAX;                           ///< exponents up to this cut and drop nothing
    std::vector<bool> aligns_, cutting_modes_;         ///< by slot of a mode: of an alignment; that cuts something
};

} // namespace

std::vector<std::vector<std::size_t>> idle_values(const Structure& structure, const Box& box) {
    return Idle(structure, box).run();
}

Box without_idle_values(const Structure& structure, const Box& box) {
    const auto stands_for = idle_values(structure, box);
    Box rest = box;
    for (Slot v = 0; v < rest.sets.size(); ++v)
        box.sets[v].for_each([&](std::size_t i) {
            if (stands_for[v][i] != i) rest.sets[v].erase(i);
        });
    return rest;
}

} // namespace discern::identify
