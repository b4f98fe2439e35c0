// What the nets of a design hold on one vector, and which of the unit's wires they are meant to be: those with which
// they agree on nearly all random vectors. Where such a net has another value than the wire, design and unit part.
//
// That is found by simulation and proves nothing; a pair that is believed can be proved with `prove --equal NET=WIRE`.
#pragma once

#include "designs/clocked/circuit.hpp"

#include "models/vectors.hpp"

#include <string>
#include <vector>

namespace discern::rtl {

struct NetValue {
    std::string name;
    int cycle = 0;         ///< edges of the clock after the operands
    std::string value;     ///< in hexadecimal digits
    std::string wire = {}; ///< of the unit (encodings/datapath); empty: none is like it
    std::string wire_value = {};
    double agreement = 0; ///< on what part of the random vectors net and wire agree

    bool parts() const { return !wire.empty() && value != wire_value; }
};

/// Nets that have a name in the source and do not depend on what the design leaves open, each once.
/// @param unit  whose wires they are compared with; nullptr: none
/// @return those that are like a wire first, in the order of the datapath; then the others, by name
std::vector<NetValue> nets_on(const DesignQuestion& question, const Inputs& inputs, const Unit* unit,
                              std::uint64_t seed);

} // namespace discern::rtl
