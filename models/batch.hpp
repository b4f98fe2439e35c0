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

/// What Evaluator gives, for batches. It keeps room between calls: one call at a time.
class BatchEvaluator {
  public:
    /// @param options  where, by which kernels, and on how many threads; alpha, beta and from_zero do not apply
    explicit BatchEvaluator(const Unit& unit, GemmOptions options = {});

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

    /// The operands of some vectors; each thread has its own.
    struct Room {
        Row a, b, c, sa, sb, d;
    };

    static Room room(const Unit& unit);
    static void fill(Row& row, std::size_t vector, std::span<const std::uint64_t> patterns);
    void evaluate(std::span<const Inputs> batch, std::span<std::uint64_t> d, Room& room) const;

    Evaluator one_;
    Gemm many_;
    bool has_kernels_;
    std::vector<Room> rooms_;
};

} // namespace discern
