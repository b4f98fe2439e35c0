// A first filter: which units the kernels may compute, by their formats and parameters. The tree is examined
// afterwards.
#pragma once

#include "models/unit.hpp"

namespace discern::fast {

/// Whether formats have names of their own, no rare parameter is set, and accumulators are kept in f32, or in f64 by
/// units with f64 results.
bool is_usual(const Unit& unit);

} // namespace discern::fast
