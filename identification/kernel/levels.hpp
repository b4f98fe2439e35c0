// The levels of a schedule, from the outermost to the innermost, as one row of probes shows them.
#pragma once

#include "order.hpp"

namespace discern::kernels {

/// All schedules that would give the row.
/// @param row  of each product but 0: units below the node where it meets product 0, both of them as if they were
std::vector<Candidate> candidates_of_row(const Shape& shape, const Swamping& probe, std::vector<int> row);

} // namespace discern::kernels
