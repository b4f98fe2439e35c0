// Whether anybody reads the sign of a zero inside a tree. A sum in a frame does, but of leaves alone, whose signs stay.
#pragma once

#include "models/parametric/structure.hpp"
#include "parameters.hpp"

namespace discern {

/// Whether the sign of a zero result may depend on that of a zero which some rounding made.
/// @param c_is_plus  whether c is never −0
bool zero_signs_count(const parametric::ParametricNode& tree, const ParameterTerms& parameters, bool c_is_plus);

} // namespace discern
