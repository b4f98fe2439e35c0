// What computes, by the names that people use: kernels of this CPU, or of a GPU.
#pragma once

#include "models/gemm.hpp"

#include <string>
#include <string_view>

namespace discern::gpu {

/// The name of the GPU's kernels; the others are those of KernelChoice.
inline constexpr std::string_view gpu_kernels = "gpu";

/// "best, avx512, …": all names, for help and for sentences.
std::string kernel_names();

/// Has the named kernels compute the unit.
/// @throws Error if there is no such name, or no GPU ("unavailable: …")
void use_kernels(GemmOptions& options, const std::string& name, const Unit& unit);

} // namespace discern::gpu
