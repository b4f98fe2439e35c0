// A kernel as a straight line of operations on partial sums: what the evaluator, the kernels for whole products and
// the tree of a kernel walk. The oracle has a walk of its own.
//
// Operations are in the order of the tree, depth first, so that few partial sums are alive at a time.
#pragma once

#include "models/evaluate.hpp"
#include "models/kernel.hpp"

#include <vector>

namespace discern {

struct OutlineStep {
    enum class Kind : std::uint8_t {
        c,       ///< C, as it is read
        zero,    ///< +0 of `format`
        chain,   ///< instructions from x, or from +0
        add,     ///< x + y
        convert, ///< x
    };
    Kind kind = Kind::c;
    int x = -1, y = -1;              ///< earlier steps; −1: of a chain +0 of d's format
    std::vector<int> instructions;   ///< of a chain: instruction i has elements i·K … i·K + K − 1 (K of the unit)
    FormatId format = FormatId::f32; ///< of the value
    Rounding mode = Rounding::rne;   ///< of an addition and a conversion
};

/// The steps; the last one is d. @param kernel  must be valid
std::vector<OutlineStep> outline(const Kernel& kernel);

/// One rounding of x · y + c, or of x · y, as a unit of one product.
Unit multiply_add_unit(FormatId x, FormatId y, std::optional<FormatId> c, const Conversion& to);

/// What is added or converted, as a unit of one product and perhaps c: x · 1 + y, or x · 1, with 1 in the format of the
/// result, or in f32 where that is a fixed-point format, which may have no 1.
Unit addition_unit(FormatId x, std::optional<FormatId> y, const Conversion& to, const NanRule& nan);

/// The same for patterns: x + y, or x alone, rounded to a format.
class Addition {
  public:
    Addition(FormatId x, std::optional<FormatId> y, const Conversion& to, const NanRule& nan);

    std::uint64_t operator()(std::uint64_t x, std::uint64_t y = 0) const {
        return evaluate_({.a = {&x, 1}, .b = {&one_, 1}, .sa = {}, .sb = {}, .c = y});
    }

  private:
    Evaluator evaluate_;
    std::uint64_t one_;
};

/// Of each step, what it computes if it is an addition or a conversion. Those that are alike share an evaluator.
std::vector<std::optional<Addition>> additions(const Kernel& kernel, const std::vector<OutlineStep>& steps);

/// The NaN rule of values of that format in a kernel: the unit's where its pattern is one of the format.
NanRule nan_in(const Kernel& kernel, FormatId format);

/// The unit whose accumulator has d's format, also where it has no c but chains its own blocks. It need not be valid.
Unit continued(const Unit& unit);

/// The lengths of the blocks of k, and of the contiguous parts of one of them.
std::vector<int> block_lengths(const Schedule& schedule, int K);
std::vector<int> part_lengths(const Schedule& schedule, int length);

} // namespace discern
