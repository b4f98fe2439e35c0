// The reference circuit of a unit as gates.
//
// A certificate says that two units give the same result on all inputs, and this circuit is what "result" means there:
// the one translation of a unit into a formula that a reader has to trust. What it computes is written in circuit/, to
// be compared with docs/notation.md; circuit/gates.hpp says what gates the operations are.
#pragma once

#include "circuit/gates.hpp"
#include "circuit/unit.hpp"

namespace discern::certificate {

using Integer = circuit::Integer<GateDomain>;
using Number = circuit::Number<GateDomain>;
using Operands = circuit::Operands<GateDomain>;

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
/// first. @param first  the input with which they begin
Operands operands(const Netlist& netlist, const Unit& unit, std::size_t first = 0);

/// Appends the circuit of a unit.
/// @return the bits of d
/// @throws Error if the unit is wrong, std::length_error if the circuit is too large
Bits reference_circuit(Netlist& n, const Unit& unit, const Operands& in);

} // namespace discern::certificate

// The parts of the circuit that others use are compiled once, in reference.cpp.
namespace discern::circuit {

extern template Bit<certificate::GateDomain> is_nan(certificate::GateDomain&, const Format&, const certificate::Bits&);
extern template Bit<certificate::GateDomain> is_infinite(certificate::GateDomain&, const Format&,
                                                         const certificate::Bits&);
extern template certificate::Number read(certificate::GateDomain&, const Format&, const certificate::Bits&);

} // namespace discern::circuit
