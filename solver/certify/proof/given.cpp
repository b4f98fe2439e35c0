#include "given.hpp"

#include <algorithm>

namespace discern::certificate {

std::vector<std::int32_t> inputs_in_formula(const Netlist::Node& gate) {
    std::vector<std::int32_t> in;
    for (std::size_t k = 0; k < inputs_of(gate.gate); ++k) in.push_back(in_formula(gate.in[k]));
    return in;
}

template <typename GateOf>
Literal Given::name_of(const Netlist& circuit, Literal literal, const GateOf& gate_of) {
    const auto& nodes = circuit.nodes();
    std::vector<Literal> names(nodes.size());
    for (std::size_t i = 0; i < circuit.inputs(); ++i) names[i + 1] = circuit.input(i);
    const auto named = [&](Literal x) { return invert_if(is_inverted(x), names[node_of(x)]); };
    for (std::size_t i = circuit.inputs() + 1; i < nodes.size(); ++i) {
        Netlist::Node gate = nodes[i];
        for (std::size_t k = 0; k < inputs_of(gate.gate); ++k) gate.in[k] = named(gate.in[k]);
        names[i] = gate_of(gate);
    }
    return named(literal);
}

Literal Given::define(const Netlist& circuit, Literal literal, ProofLog& log) {
    return name_of(circuit, literal, [&](const Netlist::Node& gate) { return gate_of(gate, log); });
}

Literal Given::know(const Netlist& circuit, Literal literal, ClauseId first) {
    return name_of(circuit, literal, [&](const Netlist::Node& gate) {
        const ClauseId own = first;
        first += number_of_clauses(gate.gate);
        return enter(gate, own);
    });
}

Literal Given::gate_of(const Netlist::Node& gate, ProofLog& log) {
    if (const auto known = structure_.find(gate)) return *known;
    return enter(gate, log.define(gate.gate, inputs_in_formula(gate)));
}

Literal Given::enter(const Netlist::Node& gate, ClauseId first) {
    const auto name = static_cast<Literal>(2 * variable(gates_.size()));
    gates_.push_back(gate);
    ids_.push_back(first);
    structure_.enter(gate, name);
    return name;
}

Formula Given::clauses(std::size_t gate) const {
    Formula own;
    add_gate_clauses(own, gates_[gate].gate, static_cast<std::int32_t>(variable(gate)),
                     inputs_in_formula(gates_[gate]));
    return own;
}

std::uint64_t Given::vectors(std::span<const std::uint64_t> inputs) const {
    if (units.empty()) return ~0ull;
    std::vector<std::uint64_t> values(variable(gates_.size()));
    std::copy(inputs.begin(), inputs.end(), values.begin() + 1);
    for (std::size_t i = 0; i < gates_.size(); ++i) values[variable(i)] = gate_value(gates_[i], values);
    std::uint64_t all = ~0ull;
    for (const Unit& unit : units) all &= value_of(values, unit.holds);
    return all;
}

std::vector<std::uint32_t> Given::cone() const {
    std::vector<bool> needed(variable(gates_.size()));
    for (const Unit& unit : units) needed[node_of(unit.holds)] = true;
    std::vector<std::uint32_t> list;
    for (std::size_t i = needed.size(); i-- > 1;) {
        if (!needed[i]) continue;
        list.push_back(static_cast<std::uint32_t>(i));
        if (i < first_) continue;
        const Netlist::Node& gate = gates_[i - first_];
        for (std::size_t k = 0; k < inputs_of(gate.gate); ++k) needed[node_of(gate.in[k])] = true;
    }
    return list;
}

} // namespace discern::certificate
