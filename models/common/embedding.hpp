// A unit on operands of narrower formats, which are converted to its own first: the same unit but for how it reads
// them. A number that is subnormal in the narrow format may be an ordinary one of the wide format, so leaves say of
// which format the exponents are (`as`), and nothing is flushed that the unit itself would not flush.
#pragma once

#include "models/kernel.hpp"

namespace discern::common_forms {

/// The kernel on the operands a, b and c of a shape, each of which embeds in the kernel's own; without c it is +0.
/// @throws Error with what stands against it, to follow "because "
Kernel on_operands(Kernel kernel, const Shape& given);

} // namespace discern::common_forms
