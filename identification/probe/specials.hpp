// Subnormal numbers, the sign of zero, overflow and NaN.
#pragma once

#include "structure.hpp"

namespace discern::probe {

/// Reports subnormal_a, subnormal_b, subnormal_c and subnormal_d.
void probe_subnormals(Session& session);

/// Reports zero_sum, overflow and nan.
void probe_specials(Session& session);

} // namespace discern::probe
