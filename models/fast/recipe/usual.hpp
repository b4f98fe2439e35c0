// Which units the kernels may know at all: their formats and parameters, before their trees are looked at.
#pragma once

#include "models/unit.hpp"

namespace discern::fast {

/// Whether formats have names of their own, no parameter is one that few units have, and accumulators are kept in f32,
/// or in f64 by f64 units.
bool is_usual(const Unit& unit);

} // namespace discern::fast
