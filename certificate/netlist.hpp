// A list of gates: the one form in which a certificate speaks of circuits.
//
// Node 0 is the constant false, then come the inputs, then the gates in the order in which they were made; a gate reads
// only nodes before it. Nothing is simplified beyond gates with a constant input, or with the same node twice, and
// nothing is shared unless that is asked for. So the numbering is a function of the calls that made the list, and a
// proof can rely on it. For the numbering to be the same whatever compiles the calls, two of them that make gates are
// two statements, never two arguments of one call: compilers evaluate arguments in orders of their own.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace discern::certificate {

/// 2·node, or 2·node + 1 for the opposite of what the node gives.
using Literal = std::uint32_t;
inline constexpr Literal no = 0, yes = 1;
constexpr Literal opposite(Literal x) { return x ^ 1u; }
constexpr Literal opposite_if(bool condition, Literal x) { return x ^ (condition ? 1u : 0u); }
constexpr std::uint32_t node_of(Literal x) { return x >> 1u; }
constexpr bool is_opposite(Literal x) { return (x & 1u) != 0; }

/// Bits of a word, the lowest first.
using Bits = std::vector<Literal>;

enum class Gate : std::uint8_t {
    input,
    both,      ///< x and y
    different, ///< x exclusive-or y
    choice,    ///< x ? y : z
    majority,  ///< at least two of x, y, z
};

constexpr std::size_t inputs_of(Gate gate) {
    return gate == Gate::input ? 0 : gate == Gate::both || gate == Gate::different ? 2 : 3;
}

class Netlist {
  public:
    struct Node {
        Gate gate = Gate::input;
        std::array<Literal, 3> in{}; ///< as many as the gate has
        auto operator<=>(const Node&) const = default;
    };

    /// @param inputs  how many inputs there are, all before the first gate
    /// @param shared  a gate that is there already, of the same kind and with the same inputs, is not made again
    /// @throws std::length_error, as everything that makes gates does, from 2^24 inputs and gates on
    explicit Netlist(std::size_t inputs, bool shared = false);

    std::size_t inputs() const { return inputs_; }
    Literal input(std::size_t i) const { return static_cast<Literal>(2 * (i + 1)); }
    /// Node 0 and the inputs, then the gates.
    const std::vector<Node>& nodes() const { return nodes_; }

    Literal both(Literal x, Literal y);
    Literal different(Literal x, Literal y);
    Literal choice(Literal condition, Literal then, Literal otherwise);
    Literal majority(Literal x, Literal y, Literal z);
    Literal either(Literal x, Literal y) { return opposite(both(opposite(x), opposite(y))); }

  private:
    Literal gate(Gate kind, Literal x, Literal y, Literal z = no);

    std::size_t inputs_;
    std::vector<Node> nodes_;
    bool shared_;
    std::map<Node, Literal> made_; ///< if shared
};

/// The value of a gate, from those of the nodes before it.
std::uint64_t gate_value(const Netlist::Node& node, std::span<const std::uint64_t> values);
/// The values of all nodes for 64 vectors at once.
/// @param inputs  one word an input; bit v is its value in vector v
std::vector<std::uint64_t> simulate(const Netlist& netlist, std::span<const std::uint64_t> inputs);
/// The values of a literal, from those of the nodes.
inline std::uint64_t value_of(std::span<const std::uint64_t> values, Literal x) {
    return values[node_of(x)] ^ (is_opposite(x) ? ~0ull : 0);
}

/// The same list without the gates on which none of the roots depends; the roots are renumbered.
Netlist without_unused(const Netlist& netlist, std::span<Literal> roots);

} // namespace discern::certificate
