// The circuit of a claim as other people's programs read it: binary AIGER (Biere, "The AIGER And-Inverter Graph (AIG)
// Format", 2007). What the checker says does not rest on it; it only sees to it that the file is of the same circuit.
#pragma once

#include "miter.hpp"

#include <string>

namespace discern::certificate {

/// With the inputs' names (a0[3] is bit 3 of a's first element) and one output, `different`.
std::string to_aiger(const Miter& miter, const Unit& unit);

} // namespace discern::certificate
