#include "aiger.hpp"

#include "models/format.hpp"

#include <algorithm>

namespace discern::certificate {

AndGates::AndGates(std::size_t inputs, bool shared)
    : inputs_(inputs), next_(static_cast<Literal>(2 * (inputs + 1))), shared_(shared) {}

std::size_t AndGates::count() const { return next_ / 2 - inputs_ - 1; }

Literal AndGates::make_and(Literal x, Literal y) {
    if (x == no || y == no || x == invert(y)) return no;
    if (x == yes || x == y) return y;
    if (y == yes) return x;
    const std::pair<Literal, Literal> in = std::minmax(x, y);
    if (shared_)
        if (const auto made = made_.find(in); made != made_.end()) return made->second;
    const Literal output = next_;
    next_ += 2;
    put(output - in.second);
    put(in.second - in.first);
    if (shared_) made_.emplace(in, output);
    return output;
}

Literal AndGates::make_or(Literal x, Literal y) { return invert(make_and(invert(x), invert(y))); }

Literal AndGates::make(Gate gate, Literal x, Literal y, Literal z) {
    switch (gate) {
    case Gate::and_: return make_and(x, y);
    case Gate::xor_: {
        const Literal two = make_and(x, y);
        const Literal one = make_or(x, y);
        return make_and(one, invert(two));
    }
    case Gate::mux: {
        const Literal without = make_and(invert(x), z);
        const Literal with = make_and(x, y);
        return make_or(with, without);
    }
    case Gate::majority: {
        const Literal z_and_one = make_and(z, make_or(x, y));
        const Literal two = make_and(x, y);
        return make_or(two, z_and_one);
    }
    case Gate::input: break;
    }
    return no;
}

void AndGates::put(Literal x) {
    for (; x >= 128; x >>= 7u) bytes_ += static_cast<char>(x | 128u);
    bytes_ += static_cast<char>(x);
}

std::string to_aiger(const Miter& miter, const Unit& unit) {
    const Netlist& netlist = miter.netlist;
    const auto& nodes = netlist.nodes();
    AndGates gates(netlist.inputs());
    std::vector<Literal> renamed(nodes.size());
    const auto rename = [&](Literal x) { return invert_if(is_inverted(x), renamed[node_of(x)]); };
    for (std::size_t i = 0; i < netlist.inputs(); ++i) renamed[i + 1] = netlist.input(i);
    for (std::size_t i = netlist.inputs() + 1; i < nodes.size(); ++i)
        renamed[i] = gates.make(nodes[i].gate, rename(nodes[i].in[0]), rename(nodes[i].in[1]), rename(nodes[i].in[2]));

    const std::size_t count = gates.count();
    const auto number = [](std::size_t x) { return std::to_string(x); };
    std::string text = "aig " + number(netlist.inputs() + count) + ' ' + number(netlist.inputs()) + " 0 1 " +
                       number(count) + '\n' + number(rename(miter.different)) + '\n' + gates.bytes();
    std::size_t next = 0;
    for (const Row& row : rows(unit))
        for (int k = 0; k < row.count; ++k)
            for (int bit = 0; bit < row.format->width; ++bit) {
                const std::string element = row.patterns == &Operands::c ? "" : std::to_string(k);
                text += 'i' + number(next++) + ' ' + row.name + element + '[' + std::to_string(bit) + "]\n";
            }
    return text + "o0 different\n";
}

} // namespace discern::certificate
