// A design as and-gates over the operands, for a certificate: what its claim is about is then a circuit that
// other programs read.
#pragma once

#include "designs/clocked/circuit.hpp"

#include "certificate/circuit/netlist.hpp"

#include <optional>
#include <string>

namespace discern::rtl {

/// d as it is after the clock edges that the connection says, for operands in the order of a vector, lowest bit first;
/// then come inputs for what the design leaves open, such as x.
/// @param why_not  nothing: in words, how d depends, as it is written, on what registers held before; a certificate
/// could not say which of that a reset excludes
std::optional<certificate::AndCircuit> and_gates_of(const DesignQuestion& question, std::string& why_not);

/// One edge of the clock of a design with a handshake (certificate/handshake.hpp), and how many registers it has.
certificate::AndCircuit edge_gates_of(const DesignQuestion& question, std::size_t& registers);

} // namespace discern::rtl
