// Fresh products: results of a target for new random inputs, compared with those of a kernel.
#pragma once

#include "epilogue.hpp"

#include "identification/identify/identify.hpp"
#include "models/families.hpp"
#include "models/kernel.hpp"
#include "models/kernel_gemm.hpp"
#include "models/vectors.hpp"
#include "models/vectors/in_products.hpp"

#include <cstdint>
#include <optional>

namespace discern::kernels {

/// Whole products of the target. Its k is K of the kernel.
using AskProduct = Multiply;

/// How many were compared, and the first result that differs from the kernel's.
struct Fresh {
    std::uint64_t compared = 0;
    std::optional<Vector> wrong; ///< with d as the target gave it
    std::uint64_t expected = 0;  ///< for that
};

/// A kernel, with what follows its sums, whose results are compared with fresh products.
class Comparison {
  public:
    explicit Comparison(Finished kernel);

    /// Some vectors of all families.
    Fresh vectors(const Ask& ask, std::uint64_t seed) const;
    /// A product of m × n whose rows and columns are vectors of a family; all of its elements.
    Fresh product(const AskProduct& multiply, std::size_t m, std::size_t n, Family family, std::uint64_t seed) const;

  private:
    Finished kernel_;
    Shape shape_; ///< of the target
    KernelEvaluator evaluate_;
    KernelGemm multiply_; ///< fast; where NaN of operands count, it may give another NaN
};

} // namespace discern::kernels
