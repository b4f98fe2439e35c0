// Targets that multiply whole matrices: what a library does for 64 × 64 results at once may not be what it does for
// one.
#pragma once

#include "models/gemm.hpp"
#include "target.hpp"

namespace discern {

class ProductTarget : public Target {
  public:
    /// D = A·B + C: A is m × k, B k × n, C and D m × n, patterns in words as Gemm has them. k is the target's K.
    /// @param c  empty if there is none
    /// @throws Error if the target fails, Stopped as run()
    virtual void multiply(GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d) = 0;
};

} // namespace discern
