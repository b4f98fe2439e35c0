// The kernels that this CPU can run, found at run time.
#pragma once

#include "models/fast/kernels/tile.hpp"
#include "models/gemm.hpp"

namespace discern::fast {

/// The set that is asked for (best: the widest), or nullptr if this CPU or this build does not have it, and for
/// `general`.
const KernelSet* choose_kernels(KernelChoice choice);

} // namespace discern::fast
