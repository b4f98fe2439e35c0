// A product computed by an accelerator, which computes whole instructions only.
#pragma once

#include "gemm_impl.hpp"

namespace discern::fast {

/// Chains of all elements, by the accelerator of the options; without alpha, beta and C at the end.
/// @return false if the progress function ended the work
bool accelerate(const Chains& chains, GemmSize size, const Chains::Given& given, bool from_c);

} // namespace discern::fast
