// The meaning of a netlist's cells, as terms. Source: yosys' manual, "Internal cell library", and its simulation
// library (techlibs/common/simlib.v).
#pragma once

#include "design.hpp"

#include "encodings/graph/term.hpp"

#include <functional>
#include <string>

namespace discern::rtl {

/// A bit whose value the language leaves open (x) is any value: a new variable each.
using AnyValue = std::function<Term(int width, const std::string& why)>;

struct CellInputs {
    Terms& t;
    const Cell& cell;
    std::function<Term(const std::string& pin)> pin; ///< the word at an input
    const AnyValue& any;
};

/// The word at the output of a cell that is no register.
/// @throws Error for a cell that cannot be read, such as a division by a number that is no power of two
Term cell_term(const CellInputs& in);

/// Which pins a cell that is no register reads.
std::vector<std::string> inputs_of(const Cell& cell);

/// A register: $dff or $adff.
bool is_register(const Cell& cell);

/// @param drives  the net that it drives
/// @throws Error with the reason and the line if cells of that type are not read: latches, memories, black boxes, …
void require_known(const Cell& cell, const std::string& drives);

} // namespace discern::rtl
