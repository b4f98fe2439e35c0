// The schedules that libraries have, for formats in which no number absorbs another: their order can only be tried.
#pragma once

#include "order.hpp"

#include <vector>

namespace discern::kernels {

/// Each usual schedule with all sizes of instructions that the catalogue has for the formats, the plainest first.
std::vector<Candidate> usual_schedules(const Shape& shape);

} // namespace discern::kernels
