// What is left where nothing fits: how often the nearest units fail, and on what.
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

/// The few units that explain most. Of recorded vectors alone, by how many of them they fail; else by how often they
/// fail on random vectors of all families: the nearest first, which is asked most.
std::vector<Near> nearest(const Candidates& candidates, const std::vector<Observation>& observations, const Ask& ask,
                          const Options& options);

} // namespace discern::identify
