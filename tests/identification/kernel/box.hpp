// A kernel as a black box, for tests: vectors and whole products.
#pragma once

#include "identification/kernel/identify_kernel.hpp"
#include "models/kernel_gemm.hpp"

#include <optional>
#include <span>
#include <vector>

namespace discern::kernels {

struct Box {
    KernelEvaluator evaluate;
    KernelGemm multiply;
    Shape shape;
    Ask ask;
    std::size_t asked = 0;

    explicit Box(const Kernel& kernel)
        : evaluate(kernel), multiply(kernel), shape(shape_of(kernel)), ask([this](std::span<const Inputs> batch) {
              std::vector<std::optional<std::uint64_t>> answers;
              for (const Inputs& inputs : batch) answers.emplace_back(evaluate(inputs));
              asked += batch.size();
              return answers;
          }) {}
    KernelResult identify(double timeout = 60) {
        KernelOptions options;
        options.timeout = timeout;
        options.validate_seconds = 3;
        options.product = [this](GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d) {
            multiply(size, a, b, c, d);
        };
        return identify_kernel(shape, ask, options);
    }
};

} // namespace discern::kernels
