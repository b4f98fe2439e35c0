// Fragments of wmma, whose elements nothing may tell apart.
#pragma once

#include "programs/machine/step.hpp"

namespace discern::programs {

/// @throws Error if an instruction other than wmma uses elements of a fragment, except that a whole warp moves them, or
/// sets all to one number
void require_whole_fragments(DecodedProgram& code, const Program& program);

} // namespace discern::programs
