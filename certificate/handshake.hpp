// What a claim about a design with a handshake needs: that the states of a list are all that come, from the reset on,
// and that each result in them is the unit's.
//
// At an edge of the clock at which in_valid and in_ready are 1 operands are taken, and at one at which out_valid and
// out_ready are 1 a result is. What is owed is counted here, and not by the design: the operations on their way, the
// oldest first, and for each how many more edges with out_ready = 1 may pass before its result. A state of the list
// says what that is, and what registers hold then, as a function of the operands of these operations. Who wrote the
// list is not trusted: the formulas below say of each state what every choice at the ports leads to.
#pragma once

#include "miter.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace discern::certificate {

/// A design with registers: what comes out before an edge of its clock, and what registers hold after it.
struct ClockedCircuit {
    static constexpr std::size_t ports_in = 3;  ///< after the operands: in_valid, out_ready, reset
    static constexpr std::size_t ports_out = 2; ///< after d: in_ready, out_valid

    /// Inputs: the operands, the ports, what is open (another value at each edge), and the registers. Outputs: d, the
    /// ports, and the registers after the edge.
    AndCircuit edge;
    std::size_t registers = 0;

    std::size_t open(std::size_t operands) const { return edge.inputs - registers - operands - ports_in; }
};

struct Handshake {
    int cycles = 0;       ///< edges from operands to a result that does not wait
    int reset_edges = 0;  ///< for so many edges or more the reset is held
    bool can_wait = true; ///< results may have to; otherwise out_ready is always 1
    struct State {
        std::vector<int>
            left;         ///< of each operation on its way: edges with out_ready = 1 that its result may still need
        int patience = 0; ///< for so many edges with in_valid = out_ready = 1 no operands may be taken; never below 0
        bool operator==(const State&) const = default;
    };
    std::vector<State> states;

    /// What is owed after an edge, if that was before it; nothing: a result came that is not owed, or one is late.
    /// @param ready  out_ready; operands were taken, a result was given
    std::optional<std::vector<int>> owed_after(std::vector<int> left, bool ready, bool taken, bool given) const;
    std::size_t most_operations() const;
    int most_patience() const;
    /// Outputs of the circuit of states: of each state whether operands can be on their way in it; and, of each
    /// register, what it holds, and whether that is said.
    std::size_t outputs(std::size_t registers) const { return states.size() * (1 + 2 * registers); }
};

/// Bounds of a claim, for the time that it may take.
inline constexpr int most_edges_of_a_claim = 2000;
inline constexpr std::size_t most_states_of_a_claim = 10'000;

/// Each is `different` if the claim does not follow; if none can be, it does.
struct Induction {
    Miter reset; ///< after the reset a state comes that is not of the list, or in which something is owed
    Miter step;  ///< from a state of the list one comes that is not of it, or a result that is not owed or late
    std::vector<Miter> results; ///< a result that is taken is another one than the unit's
};

/// @param states  over the operands of Handshake::most_operations() operations, the oldest first
/// @throws Error as require_inputs, std::length_error if a circuit is too large
Induction make_induction(const Unit& unit, const Limits& limits, const ClockedCircuit& design,
                         const Handshake& handshake, const AndCircuit& states);

/// Appends a circuit's gates, each with its later input first, so that equal gates of two circuits are one.
/// @param inputs  a literal for each of its inputs
Bits placed(Netlist& n, const AndCircuit& circuit, const Bits& inputs);

/// The same circuit as AIGER, whose inputs have no names.
std::string without_names(const Miter& miter);

} // namespace discern::certificate
