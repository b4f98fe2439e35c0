// From one order of the terms of a sum to another, by exchanging two neighbours at a time.
#pragma once

#include "models/unit.hpp"

#include <vector>

namespace discern::certificate {

/// Units that lead from one to another as far as order goes: each has two neighbouring terms of one sum of the one
/// before, or of `from`, exchanged, and the last has all terms in the order of `to`. None where they are in that order,
/// or where the sums are of different terms.
std::vector<Unit> exchanges(const Unit& from, const Unit& to);

} // namespace discern::certificate
