#include "idle_values.hpp"

#include "solver/ranges.hpp"

#include <algorithm>

namespace discern::identify {

namespace {

struct Cuts {
    int F = INT_MAX;           ///< the smallest
    int kept = INT_MAX;        ///< no exponent up to this one drops a term
    bool has_register = false; ///< that can wrap
};

/// No c that is not zero has a smaller exponent, read in any format.
int lowest_exponent_of_c(const Unit& frame) {
    const int of_result = Ranges::last_place(frame.d);
    return frame.c ? std::min(of_result, Ranges::last_place(*frame.c)) : of_result;
}

void find_cuts(const Structure& s, const Box& box, const ParametricNode& node, Cuts& cuts) {
    const auto any = [&](Slot slot, auto visit) {
        box.sets[slot].for_each([&](std::size_t i) { visit(s.variables[slot].values[i]); });
    };
    if (node.kind == ParametricNode::Kind::fuse)
        any(node.carry, [&](int w) { cuts.has_register = cuts.has_register || w != none; });
    for (const auto& edge : node.edges) {
        const bool is_c = edge.node.front().kind == ParametricNode::Kind::accumulator;
        any(edge.drop, [&](int n) {
            if (n != none) cuts.kept = is_c ? std::min(cuts.kept, lowest_exponent_of_c(s.frame) + n) : INT_MIN;
        });
        any(edge.F, [&](int F) { cuts.F = F == exact ? cuts.F : std::min(cuts.F, F); });
        find_cuts(s, box, edge.node.front(), cuts);
    }
    for (const ParametricNode& child : node.child) find_cuts(s, box, child, cuts);
}

} // namespace

Box without_idle_values(const Structure& s, const Box& box) {
    Cuts cuts;
    find_cuts(s, box, s.tree, cuts);
    if (cuts.has_register) return box;
    const int place = Ranges(s.frame).last_place_of_all();
    const int harmless = std::min(cuts.kept, cuts.F == INT_MAX ? INT_MAX : place + cuts.F);
    Box rest = box;
    for (Slot v = 0; v < s.variables.size(); ++v) {
        const Variable& variable = s.variables[v];
        if (variable.meaning != Meaning::floor && variable.meaning != Meaning::zero) continue;
        bool has_one = false;
        box.sets[v].for_each([&](std::size_t i) {
            const int value = variable.values[i];
            if (variable.meaning == Meaning::zero && value == own) return;
            const bool is_absent = value == none || value == ignore;
            if (!is_absent && value > harmless) return;
            if (has_one) rest.sets[v].erase(i);
            has_one = true;
        });
    }
    return rest;
}

} // namespace discern::identify
