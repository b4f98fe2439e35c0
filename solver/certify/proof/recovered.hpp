// Gates of other kinds that and-gates make up: a design comes as and-gates alone, and a reference circuit has xor, mux
// and majority. Gate by gate the two are alike only once these are found again.
#pragma once

#include "certificate/circuit/netlist.hpp"

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace discern::certificate {

struct Recovered {
    struct Made {
        Netlist::Node gate; ///< over the same circuit's literals
        bool inverted;      ///< the and-gate is its negation
    };
    std::unordered_map<std::size_t, Made> made; ///< by the and-gate that is this gate
    std::vector<bool> is_part;                  ///< by node: an and-gate of which nothing but such gates is made
};

/// Of the gates from one node on, as and_circuit() (certificate/aiger.hpp) and others make them.
Recovered recovered(const Netlist& netlist, std::size_t first);

} // namespace discern::certificate
