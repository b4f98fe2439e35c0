// Sums and counts of the errors of one unit on one family of inputs, in constant memory.
#pragma once

#include "apart.hpp"
#include "long_sum.hpp"
#include "quantiles.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace discern::measure {

/// Errors are d minus the exact result, in ulp of the exact result in d's format: 2^(exponent − fraction bits), the
/// exponent being at least the format's least.
struct Errors {
    std::uint64_t dots = 0;    ///< all that were looked at
    std::uint64_t special = 0; ///< of which d or the exact result is no finite number of d's range; not in what follows
    std::uint64_t correct = 0; ///< d is the exact result, correctly rounded (to nearest, ties to even)
    Apart apart;               ///< from that, where it is not
    double ulp = 0, signed_ulp = 0, most_ulp = 0; ///< sums of |error| and of errors, and the largest |error|
    double relative = 0, signed_relative = 0, most_relative = 0; ///< likewise, of error / |exact result|
    std::uint64_t from_zero = 0;                                 ///< the exact result is zero: no relative error
    double absolute = 0, signed_absolute = 0;                    ///< sums of d minus the exact result
    Quantiles of_ulp, of_relative;                               ///< of |error|, and of |error| / |exact result|

    /// Errors from −reach to reach ulp in steps; beside them what is beyond.
    static constexpr int reach = 4, steps = 8;
    static constexpr std::size_t cells = 2 * reach * steps;
    std::array<std::uint64_t, cells + 2> histogram{};

    std::uint64_t counted() const { return dots - special; }
    double mean_ulp() const { return mean(ulp, counted()); }
    double bias_ulp() const { return mean(signed_ulp, counted()); } ///< the signed mean
    double mean_relative() const { return mean(relative, counted() - from_zero); }
    double bias_relative() const { return mean(signed_relative, counted() - from_zero); }
    double mean_absolute() const { return mean(absolute, counted()); }
    double bias_absolute() const { return mean(signed_absolute, counted()); }

    void add(const Errors& other);

  private:
    static double mean(double sum, std::uint64_t n) { return n == 0 ? 0 : sum / static_cast<double>(n); }
};

/// The number of the format nearest to x, ties to even; the largest where x is beyond.
std::uint64_t nearest(const Format& format, double x);

/// Adds errors of results of one format.
class ErrorCounter {
  public:
    /// @throws Error if doubles are not much finer than results of the format
    explicit ErrorCounter(const Format& d);
    /// @param exact  the exact result
    void add(Errors& errors, std::uint64_t d, const ExactSum& exact) const;

  private:
    /// The number of d's format nearest to a finite number, ties to even; infinite beyond the largest.
    double nearest(double x, double ulp) const;

    const Format* format_;
    double least_, largest_;
};

} // namespace discern::measure
