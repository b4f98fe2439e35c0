// The two evaluators' common shape: bit patterns in, bit pattern out.
#pragma once

#include "unit.hpp"

#include <cstdint>
#include <memory>
#include <span>

namespace discern {

/// One dot product's inputs as bit patterns, each in the low bits of a word. `a` and `b` hold K patterns, `sa` and `sb`
/// Unit::scales() each; `c` is ignored by units without one.
struct Inputs {
    std::span<const std::uint64_t> a, b, sa, sb;
    std::uint64_t c = 0;
};

/// The machine-integer evaluator. Construction validates the unit and chooses the narrowest integers that provably fit.
/// Evaluation is const, allocation-free for trees without exact nodes, and safe from several threads at once. Copies
/// share all of it, as those of the classes for kernels and products do.
class Evaluator {
  public:
    explicit Evaluator(const Unit& unit);

    /// d as a bit pattern of the unit's d format. @throws std::logic_error if the spans have the wrong sizes.
    std::uint64_t operator()(const Inputs& inputs) const;
    const Unit& unit() const;

  private:
    struct Impl;
    std::shared_ptr<const Impl> impl_;
};

/// The exact oracle: slow, written for reading, in unbounded integers; shares the tree with Evaluator and no
/// arithmetic.
std::uint64_t evaluate_exactly(const Unit& unit, const Inputs& inputs);

/// Whether two results of this unit count as equal: the same bits, or both NaN under NanRule::any.
bool same_result(const Unit& unit, std::uint64_t d1, std::uint64_t d2);

} // namespace discern
