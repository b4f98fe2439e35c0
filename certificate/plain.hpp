// The plain circuit of a unit: docs/notation.md read literally, gate by gate.
//
// A certificate says that two units give the same result on all inputs, and this circuit is what "result" means there:
// the one translation of a unit into a formula that a reader has to trust. It is therefore written to be compared with
// the page and not to be small: terms are aligned relative to E in registers that hold everything, cut, added by ripple
// carry, normalised and rounded. It shares the notation with the evaluators and the encoder, and nothing else.
#pragma once

#include "netlist.hpp"
#include "number.hpp"

#include "models/unit.hpp"

namespace discern::certificate {

/// One of a unit's operands: its name, and how many patterns of which format it is.
struct Row {
    const char* name;
    std::vector<Bits> Operands::*patterns;
    const Format* format;
    int count;
};
/// Those that the unit has, in the order of a vector: a, b, the scales of a, those of b, and c.
std::vector<Row> rows(const Unit& unit);

/// Bits of one vector.
std::size_t input_bits(const Unit& unit);

/// The operands as inputs of a netlist with at least that many: the rows in their order, each pattern's lowest bit
/// first.
Operands operands(const Netlist& netlist, const Unit& unit);

/// Appends the circuit of a unit.
/// @return the bits of d
/// @throws Error if the unit is wrong, std::length_error if the circuit is too large
Bits plain_circuit(Netlist& n, const Unit& unit, const Operands& in);

} // namespace discern::certificate
