// Which kernels give what was observed, where no unit alone does: a long K is divided by the library that makes the
// product, in parts, slices or pieces, and each of these is chained by an instruction.
//
// As with units nothing is proved here: instructions of the catalogue under schedules that libraries have are evaluated
// until an observation contradicts them.
#pragma once

#include "known_units.hpp"
#include "which.hpp"

namespace discern {

struct KernelAnswer {
    KnownUnits known;   ///< those that fit, each as UNIT@[K=… …], with its instruction as the unit
    WhichAnswer answer; ///< classes are those of one structure
    std::size_t tried = 0;
};

/// @param c_is_zero  nothing is added to the products: instructions of any c, and of a wider d whose result is rounded
/// to the shape's, may have made them
/// @param chains     whether schedules that are one chain of instructions, which units of our K are, are among them
/// @param nan_any    as in which()
KernelAnswer which_kernel(const Shape& shape, std::span<const Vector> observations, bool c_is_zero, bool chains,
                          bool nan_any, const WhichOptions& options);

} // namespace discern
