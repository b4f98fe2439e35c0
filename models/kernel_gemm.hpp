// Whole matrix products as a kernel computes them: gemm.hpp with a schedule.
#pragma once

#include "gemm.hpp"
#include "kernel.hpp"

namespace discern {

/// Matrix products of one kernel, whose K is that of all products. Safe to use from several threads at once.
class KernelGemm {
  public:
    /// @param options  with alpha or beta other than 1, or from_zero, all chains begin from +0 and C is not part of the
    /// kernel: each element is then one fused multiply-add, as Gemm has it, in the format of the unit's d
    /// @throws Error if the kernel is not valid, alpha or beta is not a number of that format, or the options name an
    /// accelerator
    explicit KernelGemm(const Kernel& kernel, GemmOptions options = {});

    /// Computes D; as Gemm. size.k must be the kernel's K. D has the kernel's d format; C and D are apart.
    bool operator()(GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d, Patterns sa = {},
                    Patterns sb = {}) const;

    const Kernel& kernel() const;
    /// As Gemm::kernels().
    std::string kernels() const;

  private:
    struct Impl;
    class Product;
    std::shared_ptr<const Impl> impl_;
};

} // namespace discern
