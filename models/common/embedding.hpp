// A unit on operands of narrower formats, which are converted to its own first: the same unit but for how it reads
// them. A number that is subnormal in the narrow format may be an ordinary one of the wide format, so leaves say of
// which format the exponents are (`as`), and nothing is flushed that the unit itself would not flush.
#pragma once

#include "models/kernel.hpp"

#include <optional>

namespace discern::common {

/// Operands as they are given.
struct Operands {
    FormatId a, b;
    std::optional<FormatId> c; ///< nothing: c is +0 where the unit has one
};

/// The kernel on these operands, each of which embeds in the kernel's own.
/// @throws Error with what stands against it, to follow "because "
Kernel on_operands(Kernel kernel, const Operands& given);

} // namespace discern::common
