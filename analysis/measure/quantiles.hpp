// Quantiles of many numbers of very different sizes, in bounded memory and independent of the order: the mean of
// errors in ulp is ruled by a few dot products that cancel, and says little of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace discern::measure {

/// Numbers of 0 or more are counted in cells of 128 an octave, by the first bits of their double.
class Quantiles {
  public:
    void add(double x);
    void add(const Quantiles& other);
    /// The least number that at least this share of all is no larger than, at most 1/128 of itself too small: the lower
    /// end of its cell. 0 of none. @param share  above 0, at most 1
    double at(double share) const;

  private:
    /// Room for the cells from `first` to `last`.
    void widen(std::size_t first, std::size_t last);

    std::uint64_t zeros_ = 0, all_ = 0;
    std::size_t begin_ = 0;             ///< the number of the first cell
    std::vector<std::uint64_t> counts_; ///< of the cells from there
};

/// The shares that are shown.
inline constexpr double shown_shares[] = {0.5, 0.9, 0.99, 0.999};

} // namespace discern::measure
