// Gates in a normal form, and the clauses of those that are needed. See gates.hpp.
#include "gates.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace discern {

using certificate::invert_if, certificate::is_inverted, certificate::node_of;

Literal GateBuilder::make_and(Literal x, Literal y) {
    if (x > y) std::swap(x, y);
    return netlist_.make_and(x, y);
}

Literal GateBuilder::make_xor(Literal x, Literal y) {
    const bool inverted = is_inverted(x) != is_inverted(y);
    x = invert_if(is_inverted(x), x);
    y = invert_if(is_inverted(y), y);
    if (x > y) std::swap(x, y);
    return invert_if(inverted, netlist_.make_xor(x, y));
}

Literal GateBuilder::make_mux(Literal c, Literal x, Literal y) {
    if (c == yes || x == y) return x;
    if (c == no) return y;
    if (is_inverted(c)) return make_mux(invert(c), y, x);
    if (x == invert(y)) return make_xor(c, y);
    if (x == yes || x == c) return make_or(c, y);
    if (x == no || x == invert(c)) return make_and(invert(c), y);
    if (y == no || y == c) return make_and(c, x);
    if (y == yes || y == invert(c)) return make_or(invert(c), x);
    // p xor q ? x : p => majority(p, q, x), as if they differ x decides, and else both are p
    if (const auto& differ = netlist_.nodes()[node_of(c)]; differ.gate == Gate::xor_) {
        const Literal p = differ.in[0], q = differ.in[1];
        const bool inverted_x = is_inverted(x), inverted_y = is_inverted(y);
        if (node_of(y) == node_of(p) || node_of(y) == node_of(q))
            return make_majority(invert_if(inverted_y, p), invert_if(inverted_y, q), x);
        if (node_of(x) == node_of(p)) return make_majority(x, invert_if(inverted_x, invert(q)), y);
        if (node_of(x) == node_of(q)) return make_majority(x, invert_if(inverted_x, invert(p)), y);
    }
    const bool inverted = is_inverted(x);
    return invert_if(inverted, netlist_.make_mux(c, invert_if(inverted, x), invert_if(inverted, y)));
}

Literal GateBuilder::make_majority(Literal x, Literal y, Literal z) {
    std::array<Literal, 3> in = {x, y, z};
    std::sort(in.begin(), in.end());
    const bool inverted = std::count_if(in.begin(), in.end(), is_inverted) >= 2;
    for (Literal& one : in) one = invert_if(inverted, one);
    return invert_if(inverted, netlist_.make_majority(in[0], in[1], in[2]));
}

Literal GateBuilder::make(Gate gate, Literal x, Literal y, Literal z) {
    switch (gate) {
    case Gate::and_: return make_and(x, y);
    case Gate::xor_: return make_xor(x, y);
    case Gate::mux: return make_mux(x, y, z);
    case Gate::majority: return make_majority(x, y, z);
    case Gate::input: break;
    }
    throw std::logic_error("an input is no gate");
}

void ClauseWriter::define(Literal literal) {
    const auto& nodes = netlist_.nodes();
    written_.resize(nodes.size(), false);
    std::vector<std::uint32_t> open = {node_of(literal)};
    while (!open.empty()) {
        const std::uint32_t node = open.back();
        open.pop_back();
        if (written_[node]) continue;
        written_[node] = true;
        const int output = dimacs(2 * node);
        if (node == 0) clause_({-output});
        const auto& [gate, in] = nodes[node];
        if (gate == Gate::input) continue;
        const std::array<int, 3> x = {dimacs(in[0]), dimacs(in[1]), dimacs(in[2])};
        certificate::gate_clauses(gate, output, std::span(x.data(), inputs_of(gate)), clause_);
        if (gate == Gate::mux) { // implied, and lets more propagate
            clause_({-output, x[1], x[2]});
            clause_({output, -x[1], -x[2]});
        }
        for (const Literal i : in) open.push_back(node_of(i));
    }
}

} // namespace discern
