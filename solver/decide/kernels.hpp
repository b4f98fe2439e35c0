// Do two kernels give the same bits, whatever their length: by their structure, and by one block.
#pragma once

#include "discriminate.hpp"
#include "models/kernel.hpp"

namespace discern {

/// Equivalent, if both have one normal form (ground `structure`), or if they are put together alike from blocks that
/// `discriminate` proves equal for all inputs and accumulators (its ground). Different, with a vector of the kernels'
/// length on which both evaluators agree, if a vector for a block tells the kernels apart too. Else unknown.
/// @param options  limits of inputs count for vectors; a proof is without them
Answer decide_kernels(const Kernel& first, const Kernel& second, const DiscriminateOptions& options);

} // namespace discern
