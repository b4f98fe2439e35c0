// The exact value of many dot products, fast: sums of doubles that carry what each addition loses, and say so where
// that was not enough.
//
// A product of two narrow operands is a double. The sum of all is kept as two doubles, by additions without error
// (Knuth's TwoSum; Ogita, Rump and Oishi, "Accurate sum and dot product", 2005); if the second of them loses nothing
// either, both together are the exact sum, and it is known. Where something is lost, an exact evaluator is asked. The
// result is rounded once, to odd: then rounding it again to any format of fewer bits is as if it was rounded from the
// exact sum.
#pragma once

#include "models/evaluate.hpp"
#include "models/shape.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace discern::measure {

/// Rounding to odd: the sum if it is a double, else the neighbour whose last bit is set.
double rounded_to_odd(double high, double low);

class ExactSums {
  public:
    /// @param shape  with the K of the sums; d does not matter
    explicit ExactSums(const Shape& shape);

    /// Sums of rows of A and columns of B and an element of C each, as patterns of their formats, K elements in the
    /// order of k: A is rows × K, B is columns × K, C and `sums` are rows × columns; scales likewise, row by row.
    /// Operands as doubles; infinities and NaN stay what they are.
    struct Operands {
        std::span<const std::uint64_t> a, b, c, sa, sb;
    };
    void tile(std::size_t rows, std::size_t columns, const Operands& operands, std::span<double> sums);
    /// The exact sum of one vector.
    double operator()(const Inputs& inputs);

    /// How often the evaluator had to be asked.
    std::uint64_t asked() const { return asked_; }

  private:
    /// Numbers of a format: looked up if it is narrow.
    class Numbers {
      public:
        explicit Numbers(const Format& format);
        double operator()(std::uint64_t bits) const {
            return table_.empty() ? to_double(*format_, bits) : table_[bits & (table_.size() - 1)];
        }

      private:
        const Format* format_;
        std::vector<double> table_;
    };

    /// The values of one line of A or B, with their scales.
    void line(const Numbers& numbers, std::span<const std::uint64_t> patterns, std::span<const std::uint64_t> scales,
              double* values, std::size_t stride) const;

    Unit exact_; ///< the sum rounded to odd in f64
    Evaluator evaluator_;
    std::size_t K_, scales_, block_;
    Numbers a_, b_, c_, scale_;
    bool products_are_doubles_;
    std::vector<double> left_, right_, high_, low_, lost_;
    std::uint64_t asked_ = 0;
};

} // namespace discern::measure
