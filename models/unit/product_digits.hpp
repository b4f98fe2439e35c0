// How near a product of two significands can come to a tie without being one: by its longest runs of equal binary
// digits. A product of two 11-bit significands is never 2^20 + 1, for instance; a
// truncation that keeps more zeros below a tie than such a product can have never turns a value beside the tie into the
// tie. Bounds by ranges cannot show this, and a SAT solver has to factor numbers to prove it, or to find the product
// for which the truncation is observable.
#pragma once

#include "models/format.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace discern {

/// Runs of equal digits in a product, with something other than zeros below them.
enum class DigitRun : std::uint8_t {
    zeros,          ///< zeros below a one: the product is a little more than a multiple of that bit's weight
    zeros_below_01, ///< that one below a zero
    ones, ///< ones below a zero: a little less than a multiple of that bit's weight. A one in the last bit does not
          ///< count.
    ones_below_10,       ///< that zero below a one
    lone_zeros_below_01, ///< those below which there is a single one
    all_ones_below_10,   ///< one at the end is counted too
};
inline constexpr int digit_runs = 6;

class ProductDigits {
  public:
    struct Example {
        std::uint32_t a = 0, b = 0; ///< significands, odd; zero if there is none with a run of that length
        int bit = 0;                ///< position in a·b of the digit above the run
    };

    /// Looks at all products of positive numbers of so many bits: 2^(bits_a + bits_b − 2) of them.
    ProductDigits(int bits_a, int bits_b);
    ProductDigits() = default;

    /// By the length of the run; the last is the longest.
    const std::vector<Example>& examples(DigitRun run) const { return examples_[static_cast<std::size_t>(run)]; }
    int longest(DigitRun run) const { return static_cast<int>(examples(run).size()) - 1; }

  private:
    void look_at(std::uint32_t a, std::uint32_t b);
    int shortest_missing() const;
    std::array<std::vector<Example>, digit_runs> examples_;
};

/// Of all products of significands of so many bits, hidden ones included, of subnormal numbers too. nullptr if either
/// has more than 11 bits (f32, f64: they are too many), or no format has so many.
const ProductDigits* product_digits(int bits_a, int bits_b);
const ProductDigits* product_digits(const Format& a, const Format& b);

} // namespace discern
