#include "aiger.hpp"

#include "models/format.hpp"

#include <algorithm>

namespace discern::certificate {

namespace {

/// AND gates as AIGER numbers them, for gates of every kind.
class AndGates {
  public:
    AndGates(std::size_t inputs) : next_(static_cast<Literal>(2 * (inputs + 1))) {}

    Literal both(Literal x, Literal y) {
        const Literal output = next_;
        next_ += 2;
        put(output - std::max(x, y));
        put(std::max(x, y) - std::min(x, y));
        return output;
    }
    Literal either(Literal x, Literal y) { return opposite(both(opposite(x), opposite(y))); }
    Literal gate(Gate gate, Literal x, Literal y, Literal z) {
        switch (gate) {
        case Gate::both: return both(x, y);
        case Gate::different: {
            const Literal two = both(x, y);
            const Literal one = either(x, y);
            return both(one, opposite(two));
        }
        case Gate::choice: {
            const Literal without = both(opposite(x), z);
            const Literal with = both(x, y);
            return either(with, without);
        }
        case Gate::majority: {
            const Literal z_and_one = both(z, either(x, y));
            const Literal two = both(x, y);
            return either(two, z_and_one);
        }
        case Gate::input: break;
        }
        return no;
    }
    std::size_t count(std::size_t inputs) const { return next_ / 2 - inputs - 1; }
    const std::string& bytes() const { return bytes_; }

  private:
    void put(Literal x) {
        for (; x >= 128; x >>= 7u) bytes_ += static_cast<char>(x | 128u);
        bytes_ += static_cast<char>(x);
    }

    Literal next_;
    std::string bytes_;
};

} // namespace

std::string to_aiger(const Miter& miter, const Unit& unit) {
    const Netlist& netlist = miter.netlist;
    const auto& nodes = netlist.nodes();
    AndGates gates(netlist.inputs());
    std::vector<Literal> renamed(nodes.size());
    const auto rename = [&](Literal x) { return opposite_if(is_opposite(x), renamed[node_of(x)]); };
    for (std::size_t i = 0; i < netlist.inputs(); ++i) renamed[i + 1] = netlist.input(i);
    for (std::size_t i = netlist.inputs() + 1; i < nodes.size(); ++i)
        renamed[i] = gates.gate(nodes[i].gate, rename(nodes[i].in[0]), rename(nodes[i].in[1]), rename(nodes[i].in[2]));

    const std::size_t count = gates.count(netlist.inputs());
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
