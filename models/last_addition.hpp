// How a c that comes last is added.
#pragma once

#include "block.hpp"

namespace discern::integer {

/// One IEEE addition, RNE, in d's format.
Decoded add_last(const Frame& frame, const Decoded& d, const Decoded& c);

} // namespace discern::integer
