#include "representatives.hpp"

#include <algorithm>

namespace discern::certificate {

namespace {

template <typename T>
bool contains(const std::vector<T>& list, T x) {
    return std::find(list.begin(), list.end(), x) != list.end();
}

Literal positive(std::size_t node) { return static_cast<Literal>(2 * node); }

} // namespace

void Representatives::grow(std::size_t nodes) {
    for (std::size_t i = representative_.size(); i < nodes; ++i) representative_.push_back(positive(i));
    equal_.resize(nodes);
}

Netlist::Node Representatives::of(Netlist::Node gate) const {
    for (std::size_t k = 0; k < inputs_of(gate.gate); ++k) gate.in[k] = of(gate.in[k]);
    return gate;
}

Representatives::Clause Representatives::of(std::span<const std::int32_t> literals) const {
    Clause over;
    for (const std::int32_t x : literals) {
        const auto node = static_cast<std::size_t>(x < 0 ? -x : x);
        const Literal y = invert_if(x < 0, representative_[node]);
        over.holds = over.holds || y == yes || (y != no && contains(over.literals, -in_formula(y)));
        if (over.holds) return over;
        if (y != no && !contains(over.literals, in_formula(y))) over.literals.push_back(in_formula(y));
        if (y == invert_if(x < 0, positive(node))) continue;
        // From y's opposite follows x's; of a constant that is a unit clause. A clause may have x twice.
        const ClauseId equal = implied(node, x > 0);
        if (!contains(over.hints, equal)) over.hints.push_back(equal);
    }
    return over;
}

void Representatives::replace(std::size_t node, Literal y, ClauseId up, ClauseId down) {
    representative_[node] = y;
    equal_[node] = {up, down};
}

} // namespace discern::certificate
