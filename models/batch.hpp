// Many independent dot products at once, in the shape of Inputs: by the vector kernels of gemm.hpp where the unit's
// tree has them, else one after the other.
#pragma once

#include "evaluate.hpp"
#include "gemm.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace discern {

/// What Evaluator gives, for batches. It keeps room between calls: one thread at a time.
class BatchEvaluator {
  public:
    explicit BatchEvaluator(const Unit& unit);

    /// d of each, as patterns. @throws std::logic_error if a span of the inputs has the wrong size, or d has
    void operator()(std::span<const Inputs> batch, std::span<std::uint64_t> d);

    /// Whether kernels are used.
    bool has_kernels() const { return has_kernels_; }

  private:
    /// Patterns of one operand, in words as Gemm takes them.
    struct Row {
        std::size_t word = 1;  ///< bytes
        std::size_t count = 0; ///< patterns of one vector
        std::vector<std::byte> bytes;
        Patterns patterns(std::size_t vectors) const { return {bytes.data(), vectors * count, word}; }
    };

    Row row(FormatId id, std::size_t count) const;
    static void fill(Row& row, std::size_t vector, std::span<const std::uint64_t> patterns);
    void evaluate(std::span<const Inputs> batch, std::span<std::uint64_t> d);

    Evaluator one_;
    Gemm many_;
    bool has_kernels_;
    Row a_, b_, c_, sa_, sb_, d_;
};

} // namespace discern
