// Whether the sign of a zero inside a tree has an effect. It has in a sum with a frame, but that adds leaves, whose
// signs are kept in any case.
#pragma once

#include "models/parametric/structure.hpp"
#include "parameters.hpp"

namespace discern {

/// What is known of c for all inputs.
struct KnownOfC {
    bool never_minus_zero = false, never_subnormal = false;
};

/// Whether the sign of a zero result may depend on that of a zero which some rounding made.
bool zero_signs_count(const Terms& t, const parametric::ParametricNode& tree, const ParameterTerms& parameters,
                      KnownOfC c);

/// Whether the result of a block, as the accumulator of the next one, may show there the sign that it has as a zero.
bool next_block_reads_zero_signs(const parametric::ParametricNode& tree, const ParameterTerms& parameters);

} // namespace discern
