#include "netlist.hpp"

#include <stdexcept>
#include <string>

namespace discern::certificate {

std::uint64_t gate_value(const Netlist::Node& node, std::span<const std::uint64_t> values) {
    const std::uint64_t x = value_of(values, node.in[0]), y = value_of(values, node.in[1]),
                        z = value_of(values, node.in[2]);
    switch (node.gate) {
    case Gate::and_: return x & y;
    case Gate::xor_: return x ^ y;
    case Gate::mux: return (x & y) | (~x & z);
    case Gate::majority: return (x & y) | (x & z) | (y & z);
    case Gate::input: break;
    }
    throw std::logic_error("an input has no gate");
}

std::size_t Netlist::Hash::operator()(const Node& node) const {
    std::uint64_t x = static_cast<std::uint64_t>(node.gate);
    for (const Literal in : node.in) {
        x = (x ^ in) * 0x9e3779b97f4a7c15ull;
        x ^= x >> 31;
    }
    return x;
}

Netlist::Netlist(std::size_t inputs, bool shared, std::size_t most) : nodes_(1), shared_(shared), most_(most) {
    while (inputs_.size() < inputs) add_input();
}

Literal Netlist::append(const Node& node) {
    if (nodes_.size() >= most_)
        throw std::length_error("the circuit has more than " + std::to_string(most_) + " inputs and gates");
    nodes_.push_back(node);
    return static_cast<Literal>(2 * (nodes_.size() - 1));
}

Literal Netlist::add_input() { return inputs_.emplace_back(append({})); }

Literal Netlist::gate(Gate kind, Literal x, Literal y, Literal z) {
    const Node node{kind, {x, y, z}};
    if (shared_)
        if (const auto made = made_.find(node); made != made_.end()) return made->second;
    const Literal output = append(node);
    if (shared_) made_.emplace(node, output);
    return output;
}

Literal Netlist::make(Gate kind, Literal x, Literal y, Literal z) {
    switch (kind) {
    case Gate::and_: return make_and(x, y);
    case Gate::xor_: return make_xor(x, y);
    case Gate::mux: return make_mux(x, y, z);
    case Gate::majority: return make_majority(x, y, z);
    case Gate::input: break;
    }
    throw std::logic_error("an input is no gate");
}

Literal Netlist::make_and(Literal x, Literal y) {
    if (x == no || y == no || x == invert(y)) return no;
    if (x == yes || x == y) return y;
    if (y == yes) return x;
    return gate(Gate::and_, x, y);
}

Literal Netlist::make_xor(Literal x, Literal y) {
    if (x == y) return no;
    if (x == invert(y)) return yes;
    if (x <= yes) return invert_if(x == yes, y);
    if (y <= yes) return invert_if(y == yes, x);
    return gate(Gate::xor_, x, y);
}

Literal Netlist::make_mux(Literal condition, Literal then, Literal otherwise) {
    if (condition == yes || then == otherwise) return then;
    if (condition == no) return otherwise;
    if (then == invert(otherwise)) return make_xor(condition, otherwise);
    if (then == no) return make_and(invert(condition), otherwise);
    if (then == yes) return make_or(condition, otherwise);
    if (otherwise == no) return make_and(condition, then);
    if (otherwise == yes) return make_or(invert(condition), then);
    if (node_of(condition) == node_of(then))
        return then == condition ? make_or(condition, otherwise) : make_and(then, otherwise);
    if (node_of(condition) == node_of(otherwise))
        return otherwise == condition ? make_and(condition, then) : make_or(otherwise, then);
    return gate(Gate::mux, condition, then, otherwise);
}

Literal Netlist::make_majority(Literal x, Literal y, Literal z) {
    if (x == y) return x;
    if (x == invert(y)) return z;
    if (x == z || y == z) return z;
    if (x == invert(z)) return y;
    if (y == invert(z)) return x;
    if (x <= yes) return x == no ? make_and(y, z) : make_or(y, z);
    if (y <= yes) return y == no ? make_and(x, z) : make_or(x, z);
    if (z <= yes) return z == no ? make_and(x, y) : make_or(x, y);
    return gate(Gate::majority, x, y, z);
}

std::vector<std::uint64_t> simulate(const Netlist& netlist, std::span<const std::uint64_t> inputs) {
    if (inputs.size() != netlist.inputs()) throw std::logic_error("simulate: the number of inputs is wrong");
    const auto& nodes = netlist.nodes();
    std::vector<std::uint64_t> values(nodes.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) values[node_of(netlist.input(i))] = inputs[i];
    for (std::size_t i = 1; i < nodes.size(); ++i)
        if (!netlist.is_input(i)) values[i] = gate_value(nodes[i], values);
    return values;
}

void gate_clauses(Gate gate, std::int32_t g, std::span<const std::int32_t> in,
                  const std::function<void(std::initializer_list<std::int32_t>)>& add) {
    const std::int32_t x = in[0], y = in[1], z = in.size() > 2 ? in[2] : 0;
    switch (gate) {
    case Gate::and_:
        add({-g, x});
        add({-g, y});
        add({g, -x, -y});
        break;
    case Gate::xor_:
        add({-g, x, y});
        add({-g, -x, -y});
        add({g, -x, y});
        add({g, x, -y});
        break;
    case Gate::mux:
        add({-g, -x, y});
        add({g, -x, -y});
        add({-g, x, z});
        add({g, x, -z});
        break;
    case Gate::majority:
        add({-g, x, y});
        add({-g, x, z});
        add({-g, y, z});
        add({g, -x, -y});
        add({g, -x, -z});
        add({g, -y, -z});
        break;
    case Gate::input: break;
    }
}

Netlist without_unused(const Netlist& netlist, std::span<Literal> roots) {
    const auto& nodes = netlist.nodes();
    std::vector<bool> used(nodes.size());
    for (const Literal root : roots) used[node_of(root)] = true;
    for (std::size_t i = nodes.size(); i-- > 0;)
        if (used[i])
            for (std::size_t k = 0; k < inputs_of(nodes[i].gate); ++k) used[node_of(nodes[i].in[k])] = true;

    Netlist smaller(netlist.inputs());
    std::vector<Literal> renamed(nodes.size());
    const auto rename = [&](Literal x) { return invert_if(is_inverted(x), renamed[node_of(x)]); };
    for (std::size_t i = 0; i < netlist.inputs(); ++i) renamed[node_of(netlist.input(i))] = smaller.input(i);
    for (std::size_t i = 1; i < nodes.size(); ++i) {
        if (!used[i] || netlist.is_input(i)) continue;
        const Literal x = rename(nodes[i].in[0]), y = rename(nodes[i].in[1]), z = rename(nodes[i].in[2]);
        renamed[i] = smaller.make(nodes[i].gate, x, y, z);
    }
    for (Literal& root : roots) root = rename(root);
    return smaller;
}

} // namespace discern::certificate
