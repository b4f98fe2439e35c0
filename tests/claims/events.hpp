// Which events of a unit's tree inputs hit, as docs/coverage.md says it, by exact numbers: what `coverage` says is
// compared with this. The steps are those that `explain` records; how an event is read off them is this file's own.
#pragma once

#include "models/evaluate.hpp"
#include "models/unit.hpp"

#include <set>
#include <string>

namespace discern::claims {

/// The names of all bins that the inputs hit, as "b1.sum.p3.cut".
std::set<std::string> events_of(const Unit& unit, const Inputs& inputs);

} // namespace discern::claims
