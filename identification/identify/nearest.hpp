// The report if no unit explains all observations: how often the nearest units fail, and on which inputs.
#pragma once

#include "candidates.hpp"
#include "identify.hpp"

#include <cstdint>
#include <vector>

namespace discern::identify {

/// Whether no input is infinite or NaN.
bool is_finite(const Shape& shape, const Inputs& inputs);

/// In which way two results differ.
Difference difference_of(const Format& d, std::uint64_t one, std::uint64_t other);

/// The few units that explain most. Of a recording, by the number of its vectors that they fail; else by
/// how often they fail on random vectors of all families. The nearest comes first, and is compared on the most vectors.
std::vector<Near> nearest(const Candidates& candidates, const std::vector<Observation>& observations, const Ask& ask,
                          const Options& options);

} // namespace discern::identify
