// Whether a target is a function: one that is not has no unit, and says so when it is asked again.
#pragma once

#include "identify.hpp"

namespace discern::identify {

/// Asks everything again: a function gives the same answers. In reverse, so that what depends on the order shows; and
/// in order after two vectors more, for a fault in every so many answers may fall on the same vectors in reverse.
/// @return a vector with two answers
std::optional<Unsteady> two_answers(const std::vector<Observation>& observations, const Ask& ask);

} // namespace discern::identify
