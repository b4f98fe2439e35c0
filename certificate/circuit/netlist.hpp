// A list of gates: the one form in which certificates and solvers speak of circuits.
//
// Node 0 is the constant false, then come the inputs, then the gates in the order in which they were made; a gate reads
// only nodes before it. (A solver may add inputs later, at any place; a certificate never does.) Nothing is simplified
// beyond gates with a constant input, or with the same node twice, and nothing is shared unless that is asked for. So
// the numbering is a function of the calls that made the list, and a proof can rely on it. For the numbering to be the
// same whatever compiles the calls, two of them that make gates are two statements, never two arguments of one call:
// compilers evaluate arguments in orders of their own.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <unordered_map>
#include <vector>

namespace discern::certificate {

/// 2·node, or 2·node + 1 for the negation (not) of what the node gives.
using Literal = std::uint32_t;
inline constexpr Literal no = 0, yes = 1;
constexpr Literal invert(Literal x) { return x ^ 1u; }
constexpr Literal invert_if(bool condition, Literal x) { return x ^ (condition ? 1u : 0u); }
constexpr std::uint32_t node_of(Literal x) { return x >> 1u; }
constexpr bool is_inverted(Literal x) { return (x & 1u) != 0; }

/// Bits of a word, the lowest first.
using Bits = std::vector<Literal>;

enum class Gate : std::uint8_t {
    input,
    and_,
    xor_,
    mux,      ///< x ? y : z
    majority, ///< at least two of x, y, z
};

constexpr std::size_t inputs_of(Gate gate) {
    return gate == Gate::input ? 0 : gate == Gate::and_ || gate == Gate::xor_ ? 2 : 3;
}

class Netlist {
  public:
    struct Node {
        Gate gate = Gate::input;
        std::array<Literal, 3> in{}; ///< as many as the gate has
        bool operator==(const Node&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Node& node) const;
    };

    /// A hundred times as many inputs and gates as any certificate needs, and few enough for the memory of a small
    /// machine: a claim, which is not trusted, can name an enormous unit.
    static constexpr std::size_t most_of_a_claim = std::size_t{1} << 24;

    /// @param inputs  how many inputs there are before the first gate
    /// @param shared  a gate that is there already, of the same kind and with the same inputs, is not made again
    /// @param most    inputs and gates that there may be
    /// @throws std::length_error, as everything that makes inputs or gates does, from so many on
    explicit Netlist(std::size_t inputs, bool shared = false, std::size_t most = most_of_a_claim);

    std::size_t inputs() const { return inputs_.size(); }
    Literal input(std::size_t i) const { return inputs_[i]; }
    /// One input more, behind the gates that there are.
    Literal add_input();
    /// Node 0 and the inputs, then the gates (and what inputs were added).
    const std::vector<Node>& nodes() const { return nodes_; }
    bool is_input(std::size_t node) const { return node != 0 && nodes_[node].gate == Gate::input; }

    /// A gate of that kind, with as many of the inputs as it has.
    Literal make(Gate gate, Literal x, Literal y, Literal z);

    Literal make_and(Literal x, Literal y);
    Literal make_xor(Literal x, Literal y);
    Literal make_mux(Literal condition, Literal then, Literal otherwise);
    Literal make_majority(Literal x, Literal y, Literal z);
    Literal make_or(Literal x, Literal y) { return invert(make_and(invert(x), invert(y))); }

  private:
    Literal append(const Node& node);
    Literal gate(Gate kind, Literal x, Literal y, Literal z = no);

    std::vector<Literal> inputs_;
    std::vector<Node> nodes_;
    bool shared_;
    std::size_t most_;
    std::unordered_map<Node, Literal, Hash> made_; ///< if shared
};

/// A circuit of and-gates alone. Literals are numbered as a netlist's are: the constant, the inputs, the gates.
struct AndCircuit {
    std::size_t inputs = 0;
    std::vector<std::array<Literal, 2>> gates;
    Bits outputs;

    /// The literal that is a gate.
    Literal gate(std::size_t i) const { return static_cast<Literal>(2 * (inputs + 1 + i)); }
};

/// The value of a gate, from those of the nodes before it.
std::uint64_t gate_value(const Netlist::Node& node, std::span<const std::uint64_t> values);
/// The values of all nodes for 64 vectors at once.
/// @param inputs  one word an input; bit v is its value in vector v
std::vector<std::uint64_t> simulate(const Netlist& netlist, std::span<const std::uint64_t> inputs);
/// The values of a literal, from those of the nodes.
inline std::uint64_t value_of(std::span<const std::uint64_t> values, Literal x) {
    return values[node_of(x)] ^ (is_inverted(x) ? ~0ull : 0);
}

/// The clauses that say that variable `output` is the gate's value (Tseitin, both directions), in their order.
/// @param in   as many variables, or their negations, as the gate has inputs
/// @param add  takes each clause
void gate_clauses(Gate gate, std::int32_t output, std::span<const std::int32_t> in,
                  const std::function<void(std::initializer_list<std::int32_t>)>& add);

/// The same list without the gates on which none of the roots depends; the roots are renumbered.
Netlist without_unused(const Netlist& netlist, std::span<Literal> roots);

} // namespace discern::certificate
