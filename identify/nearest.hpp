// What is left where nothing fits: how often the nearest units fail, and on what.
#pragma once

#include "identify.hpp"

#include <cstdint>
#include <span>

namespace discern::identify {

/// Whether no input is infinite or NaN.
bool is_finite(const Shape& shape, const Inputs& inputs);

/// In which way two results differ.
Difference difference_of(const Format& d, std::uint64_t one, std::uint64_t other);

/// Runs the unit and the target on the same random vectors of all families and counts what differs into `near`; NaN are
/// alike.
/// @param vectors  how many; fewer if it takes longer than `seconds`
void count_failures(Near& near, const Ask& ask, const Options& options, std::uint64_t vectors, double seconds);

} // namespace discern::identify
