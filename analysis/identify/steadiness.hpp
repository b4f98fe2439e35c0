// Whether a target is a function: what was asked before gives the same again.
#pragma once

#include "identify.hpp"

#include <optional>
#include <vector>

namespace discern::identify {

/// Asks everything again, in reverse, so that what depends on the order shows; and in order after two vectors more, for
/// a fault in every so many answers may fall on the same vectors in reverse.
/// @return a vector that gave another answer, if there was one
std::optional<Unsteady> changed_answer(const std::vector<Observation>& observations, const Ask& ask);

} // namespace discern::identify
