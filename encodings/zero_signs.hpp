// Whether anybody reads the sign of a zero inside a tree. A sum in a frame does, but of leaves alone, whose signs stay.
#pragma once

#include "models/parametric/structure.hpp"
#include "parameters.hpp"

namespace discern {

/// What holds whatever the inputs.
struct KnownOfC {
    bool never_minus_zero = false, never_subnormal = false;
};

/// Whether the sign of a zero result may depend on that of a zero which some rounding made.
bool zero_signs_count(const parametric::ParametricNode& tree, const ParameterTerms& parameters, KnownOfC c);

} // namespace discern
