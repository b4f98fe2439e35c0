#include "netlist.hpp"

#include <stdexcept>

namespace discern::certificate {

namespace {

/// A hundred times as many as any certificate needs, and few enough for the memory of a small machine: whoever writes a
/// claim can name a unit that is enormous.
constexpr std::size_t most_nodes = std::size_t{1} << 24;

void require_room(std::size_t nodes) {
    if (nodes >= most_nodes) throw std::length_error("the circuit has more than 2^24 inputs and gates");
}

} // namespace

std::uint64_t gate_value(const Netlist::Node& node, std::span<const std::uint64_t> values) {
    const std::uint64_t x = value_of(values, node.in[0]), y = value_of(values, node.in[1]),
                        z = value_of(values, node.in[2]);
    switch (node.gate) {
    case Gate::both: return x & y;
    case Gate::different: return x ^ y;
    case Gate::choice: return (x & y) | (~x & z);
    case Gate::majority: return (x & y) | (x & z) | (y & z);
    case Gate::input: break;
    }
    throw std::logic_error("an input has no gate");
}

Netlist::Netlist(std::size_t inputs, bool shared) : inputs_(inputs), shared_(shared) {
    require_room(inputs);
    nodes_.resize(inputs + 1);
}

Literal Netlist::gate(Gate kind, Literal x, Literal y, Literal z) {
    require_room(nodes_.size());
    const Node node{kind, {x, y, z}};
    const auto output = static_cast<Literal>(2 * nodes_.size());
    if (shared_) {
        const auto [made, is_new] = made_.emplace(node, output);
        if (!is_new) return made->second;
    }
    nodes_.push_back(node);
    return output;
}

Literal Netlist::both(Literal x, Literal y) {
    if (x == no || y == no || x == opposite(y)) return no;
    if (x == yes || x == y) return y;
    if (y == yes) return x;
    return gate(Gate::both, x, y);
}

Literal Netlist::different(Literal x, Literal y) {
    if (x == y) return no;
    if (x == opposite(y)) return yes;
    if (x <= yes) return opposite_if(x == yes, y);
    if (y <= yes) return opposite_if(y == yes, x);
    return gate(Gate::different, x, y);
}

Literal Netlist::choice(Literal condition, Literal then, Literal otherwise) {
    if (condition == yes || then == otherwise) return then;
    if (condition == no) return otherwise;
    if (then == opposite(otherwise)) return different(condition, otherwise);
    if (then == no) return both(opposite(condition), otherwise);
    if (then == yes) return either(condition, otherwise);
    if (otherwise == no) return both(condition, then);
    if (otherwise == yes) return either(opposite(condition), then);
    if (node_of(condition) == node_of(then))
        return then == condition ? either(condition, otherwise) : both(then, otherwise);
    if (node_of(condition) == node_of(otherwise))
        return otherwise == condition ? both(condition, then) : either(otherwise, then);
    return gate(Gate::choice, condition, then, otherwise);
}

Literal Netlist::majority(Literal x, Literal y, Literal z) {
    if (x == y) return x;
    if (x == opposite(y)) return z;
    if (x == z || y == z) return z;
    if (x == opposite(z)) return y;
    if (y == opposite(z)) return x;
    if (x <= yes) return x == no ? both(y, z) : either(y, z);
    if (y <= yes) return y == no ? both(x, z) : either(x, z);
    if (z <= yes) return z == no ? both(x, y) : either(x, y);
    return gate(Gate::majority, x, y, z);
}

std::vector<std::uint64_t> simulate(const Netlist& netlist, std::span<const std::uint64_t> inputs) {
    if (inputs.size() != netlist.inputs()) throw std::logic_error("simulate: the number of inputs is wrong");
    const auto& nodes = netlist.nodes();
    std::vector<std::uint64_t> values(nodes.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) values[i + 1] = inputs[i];
    for (std::size_t i = inputs.size() + 1; i < nodes.size(); ++i) values[i] = gate_value(nodes[i], values);
    return values;
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
    const auto rename = [&](Literal x) { return opposite_if(is_opposite(x), renamed[node_of(x)]); };
    for (std::size_t i = 0; i < netlist.inputs(); ++i) renamed[i + 1] = smaller.input(i);
    for (std::size_t i = netlist.inputs() + 1; i < nodes.size(); ++i) {
        if (!used[i]) continue;
        const Literal x = rename(nodes[i].in[0]), y = rename(nodes[i].in[1]), z = rename(nodes[i].in[2]);
        switch (nodes[i].gate) {
        case Gate::both: renamed[i] = smaller.both(x, y); break;
        case Gate::different: renamed[i] = smaller.different(x, y); break;
        case Gate::choice: renamed[i] = smaller.choice(x, y, z); break;
        case Gate::majority: renamed[i] = smaller.majority(x, y, z); break;
        case Gate::input: break;
        }
    }
    for (Literal& root : roots) root = rename(root);
    return smaller;
}

} // namespace discern::certificate
