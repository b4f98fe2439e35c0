// A product computed by an accelerator, which computes whole instructions only.
#pragma once

#include "gemm_impl.hpp"

namespace discern::fast {

/// The operands of a product, as Gemm takes them.
struct Operands {
    Patterns a, b, c, sa, sb;
};

/// Chains of all elements, by the accelerator of the options; without alpha, beta and C at the end.
/// @return false if the progress function ended the work
bool accelerate(const Chains& chains, GemmSize size, const Operands& operands, MutablePatterns d, bool from_c);

} // namespace discern::fast
