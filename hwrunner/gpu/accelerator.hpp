// Products of matrices on the GPU: the Accelerator of models/gemm.hpp.
#pragma once

#include "models/gemm.hpp"

#include <memory>

namespace discern::gpu {

/// The first NVIDIA GPU, which from now on computes as the unit does. Before it is given out it has computed 256
/// vectors as Evaluator has.
/// @throws Error "unavailable: …" if there is no driver, no GPU, or none of compute capability 7.0 or later, or if it
/// gave other bits; or if the unit takes too long a kernel
std::shared_ptr<Accelerator> open_gpu(const Unit& unit);

} // namespace discern::gpu
