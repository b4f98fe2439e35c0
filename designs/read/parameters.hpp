// Parameters that are signed, have no range, and get a value that is not signed.
//
// Such a parameter is its value as a signed one (IEEE 1800-2017, 6.20.2): of `parameter signed P` that gets 4'hf, P is
// -1. yosys' own reader leaves it unsigned. Values come from the declaration, from instances, defparam and the command
// line; a parameter without sign and range passes on the sign of its value.
#pragma once

#include "syntax.hpp"
#include "text.hpp"

#include <vector>

namespace discern::rtl {

/// @param sources  of which the top and its parameters count
/// @return one for each such value
std::vector<Hazard> hazards_of_parameters(const std::vector<SyntaxNode>& modules, const Sources& sources);

} // namespace discern::rtl
