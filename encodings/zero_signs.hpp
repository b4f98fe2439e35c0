// Whether anybody reads the sign of a zero inside a tree.
#pragma once

#include "models/parametric/structure.hpp"
#include "parameters.hpp"

namespace discern {

/// Whether something may depend on the sign of a zero that is not the result: the sign of a zero result, or more.
/// @param c_is_plus  whether c is never −0
bool zero_signs_count(const parametric::ParametricNode& tree, const ParameterTerms& parameters, bool c_is_plus);

} // namespace discern
