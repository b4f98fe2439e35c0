// The module that is written by hand around a design whose ports are not those of a unit: it has the ports of
// `export --as sv`, and the design in it.
#pragma once

#include "designs/clocked/circuit.hpp"
#include "read/sources.hpp"

#include <string>

namespace discern::rtl {

/// SystemVerilog: one module with a, b, sa, sb, c (as far as the shape has them) and d; clk, if there are registers;
/// and rst, active high, if a reset was named. Operands are packed in the order of k, element 0 lowest.
/// @param name     of the module
/// @param comment  one line
/// @throws Error if the name is none, or is that of the design's module
std::string wrapper(const DesignQuestion& question, const Sources& sources, const std::string& name,
                    const std::string& comment);

} // namespace discern::rtl
