// Circuits in the format that other programs read: AIGER (Biere, "The AIGER And-Inverter Graph (AIG) Format", 2007).
//
// A miter is written in binary. The verdict of the checker does not rest on that; it only checks that the file is of
// the same circuit. A design is read from its text: it has no line of the notation, and its circuit is what a claim
// about it speaks of.
#pragma once

#include "handshake.hpp"
#include "miter.hpp"

#include <string>

namespace discern::certificate {

/// A circuit as and-gates. @param shared  a gate that is there already is not made again
AndCircuit and_circuit(const Netlist& netlist, const Bits& outputs, bool shared = false);

/// Binary AIGER, without names.
std::string to_binary(const AndCircuit& circuit);

/// With the inputs' names (a0[3] is bit 3 of a's first element) and one output, `different`.
std::string to_aiger(const Miter& miter, const Unit& unit);

/// A design over the operands of a unit as ASCII AIGER: the inputs' names as above, then open[0], open[1], … for bits
/// that it leaves open; the outputs d[0], d[1], …
std::string design_to_aiger(const AndCircuit& design, const Unit& unit);

/// Reads that text again. @param name  of the file, for messages
/// @throws Error unless it is how design_to_aiger() writes the circuit, comments behind it aside
AndCircuit design_from_aiger(const std::string& text, const Unit& unit, const std::string& name);

/// The same of cases: the outputs are case[0], case[1], …, and nothing is open.
std::string cases_to_aiger(const AndCircuit& cases, const Unit& unit);
AndCircuit cases_from_aiger(const std::string& text, const Unit& unit, const std::string& name);
/// So many there may be: ten times as many as are known, and few enough for the time that a claim may take.
inline constexpr std::size_t most_cases_of_a_claim = 10'000;

/// A design with registers as AIGER with latches, whose first contents are anything: a state is what all latches hold.
/// Inputs are the operands, in_valid, out_ready, reset, and what is open; outputs d, in_ready and out_valid.
std::string clocked_to_aiger(const ClockedCircuit& design, const Unit& unit);
ClockedCircuit clocked_from_aiger(const std::string& text, const Unit& unit, const std::string& name);

/// States of such a design (handshake.hpp), over the operands of operations on their way, the oldest first.
std::string states_to_aiger(const AndCircuit& states, const Unit& unit, std::size_t operations);
AndCircuit states_from_aiger(const std::string& text, const Unit& unit, std::size_t operations, std::size_t outputs,
                             const std::string& name);

} // namespace discern::certificate
