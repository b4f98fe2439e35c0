// A kernel that was read from its own code, as a target: dot products of its first row and column, computed as its
// graph says.
#pragma once

#include "file.hpp"
#include "hwrunner/target.hpp"

namespace discern::programs {

/// K is that of the launch. The first operand with an axis k is A, the second B, and one element without is C.
/// @param asked  the shape of what it will be asked. A kernel without C may be asked with an accumulator that is +0.
/// @throws Error if the first element of its one result depends on other operands
std::unique_ptr<Target> kernel_target(const KernelFiles& files, const std::optional<Shape>& asked = std::nullopt);

} // namespace discern::programs
