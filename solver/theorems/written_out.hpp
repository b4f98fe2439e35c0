// Chained blocks and one block with all additions in it can compute the same: a chain that starts from zero and adds c
// at its end is a tree. For comparisons, such a chain is written as the tree.
#pragma once

#include "models/unit.hpp"

#include <optional>

namespace discern {

/// A unit of one block with the same result for all inputs, if c is added last and there are 2 to 16 products. The
/// first block's accumulator is left out: +0, which changes an exactly zero sum of −0 alone. nullopt where a tree
/// cannot say it: where zeros or subnormal results are no numbers like others when they come back (a flushed
/// accumulator, one with an exponent as zero, results in a format beside d), products have limits, or NaN operands
/// propagate.
std::optional<Unit> written_out(const Unit& unit);

} // namespace discern
