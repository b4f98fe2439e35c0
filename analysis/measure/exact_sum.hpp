// The exact value of many dot products, fast: sums of doubles that carry what each addition loses, and say so where
// that was not enough.
//
// A product of two narrow operands is a double. The sum of all is kept as two doubles, by additions without error
// (Knuth's TwoSum; Ogita, Rump and Oishi, "Accurate sum and dot product", 2005); if the second of them loses nothing
// either, both together are the exact sum, and it is known. Where something is lost, or a product is no double, all is
// added again in long integers.
#pragma once

#include "long_sum.hpp"

#include "models/evaluate.hpp"
#include "models/shape.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace discern::measure {

class ExactSums {
  public:
    /// @param shape  with the K of the sums; d does not matter
    explicit ExactSums(const Shape& shape);

    /// Sums of rows of A and columns of B and an element of C each, as patterns of their formats, K elements in the
    /// order of k: A is rows × K, B is columns × K, C and `sums` are rows × columns; scales likewise, row by row.
    /// `high` of a sum with infinities or NaN is what they make.
    struct Operands {
        std::span<const std::uint64_t> a, b, c, sa, sb;
    };
    void tile(std::size_t rows, std::size_t columns, const Operands& operands, std::span<ExactSum> sums);
    /// The exact sum of one vector.
    ExactSum operator()(const Inputs& inputs);

    /// How many sums two doubles could not hold.
    std::uint64_t long_sums() const { return long_sums_; }

  private:
    /// Numbers of a format: looked up if it is narrow.
    class Numbers {
      public:
        explicit Numbers(const Format& format);
        double operator()(std::uint64_t bits) const {
            return table_.empty() ? to_double(*format_, bits) : table_[bits & (table_.size() - 1)];
        }
        /// Of a finite number.
        Term term(std::uint64_t bits) const;
        const Format& format() const { return *format_; }

      private:
        const Format* format_;
        std::vector<double> table_;
    };

    /// The values of one line of A or B, with their scales.
    void line(const Numbers& numbers, std::span<const std::uint64_t> patterns, std::span<const std::uint64_t> scales,
              double* values, std::size_t stride) const;

    ExactSum by_integers(const Inputs& inputs);

    bool has_c_;
    std::size_t K_, scales_, block_;
    Numbers a_, b_, c_, scale_;
    bool products_are_doubles_ = false;
    int lowest_ = 0;         ///< all summands are multiples of 2^lowest_,
    bool is_narrow_ = false; ///< as long_sum() has it
    std::vector<double> left_, right_, high_, low_, lost_;
    std::vector<Term> terms_;
    std::uint64_t long_sums_ = 0;
};

} // namespace discern::measure
