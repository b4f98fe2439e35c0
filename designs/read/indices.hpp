// Indices that may lie outside, written out for yosys.
//
// A simulator writes of a memory and of a part-select only what is inside, and reads x outside (IEEE 1800-2017, 7.4.5
// and 11.5.1). yosys' own reader takes the address of a memory modulo a power of two, and loses a part-select that
// begins below the word. So each of these gets its condition into the text: `m[i] = x` becomes `if (i is inside) m[i] =
// x`. The netlist of that text is what a simulator does, and must be proved to be the one of the text as it is written.
#pragma once

#include "syntax.hpp"
#include "text.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace discern::rtl {

struct WrittenOut {
    std::string text;
    std::vector<Hazard> places; ///< an index each
};

/// "f.sv:12" of a line of the text.
using PlaceOfLine = std::function<std::string(int line)>;

/// @param text  of which `modules` are the syntax
/// @return nothing if no index can lie outside, by what is seen of widths
/// @throws CannotRead for one that cannot be written out
std::optional<WrittenOut> indices_written_out(const std::string& text, const std::vector<SyntaxNode>& modules,
                                              const PlaceOfLine& place);

} // namespace discern::rtl
