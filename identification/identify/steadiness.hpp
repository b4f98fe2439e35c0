// Whether a target is a function: earlier vectors, asked again, give the same results.
#pragma once

#include "identify.hpp"

#include <optional>
#include <vector>

namespace discern::identify {

/// Asks all vectors again in reverse order, which shows results that depend on the order; and once more in order, after
/// two other vectors, since a fault in every n-th answer may hit the same vectors in reverse.
/// @return a vector that gave another answer, if there was one
std::optional<Unsteady> changed_answer(const std::vector<Observation>& observations, const Ask& ask);

} // namespace discern::identify
