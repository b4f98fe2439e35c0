// One result of a design beside the unit's, or another design's: what every question about designs comes down to.
#pragma once

#include "side.hpp"

#include "solver/decide/discriminate.hpp"

namespace discern::rtl {

/// @param beside  the other design; nullptr: the unit of the question
/// @throws as decide()
Answer decide_one_result(const ReadDesignOf& design, const ReadDesignOf* beside, const DiscriminateOptions& options);

} // namespace discern::rtl
