// All the inputs of a unit so small that they can be tried.
#pragma once

#include "models/evaluate.hpp"
#include "models/unit.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace discern::tests {

/// Bits of one vector of inputs, of units without scales.
inline int input_bits(const Unit& unit) {
    return unit.K * (format(unit.a).width + format(unit.b).width) + (unit.c ? format(*unit.c).width : 0);
}

/// Every vector of inputs of a unit without scales, piece by piece.
class AllInputs {
  public:
    explicit AllInputs(const Unit& unit)
        : K_(static_cast<std::size_t>(unit.K)), a_(format(unit.a).width), b_(format(unit.b).width),
          count_(1ull << input_bits(unit)) {}

    std::uint64_t count() const { return count_; }

    /// The n vectors from the first on, or those that are left; valid until the next call.
    std::span<const Inputs> piece(std::uint64_t first, std::uint64_t n) {
        n = std::min(n, count_ - first);
        patterns_.resize(2 * K_ * n);
        inputs_.resize(n);
        std::uint64_t* at = patterns_.data();
        for (std::uint64_t i = 0; i < n; ++i, at += 2 * K_) {
            std::uint64_t rest = first + i;
            for (std::size_t k = 0; k < K_; ++k) at[k] = take(rest, a_);
            for (std::size_t k = K_; k < 2 * K_; ++k) at[k] = take(rest, b_);
            inputs_[i] = {{at, K_}, {at + K_, K_}, {}, {}, rest};
        }
        return inputs_;
    }

  private:
    static std::uint64_t take(std::uint64_t& rest, int bits) {
        const std::uint64_t pattern = rest & ((1ull << bits) - 1);
        rest >>= bits;
        return pattern;
    }

    std::size_t K_;
    int a_, b_;
    std::uint64_t count_;
    std::vector<std::uint64_t> patterns_;
    std::vector<Inputs> inputs_;
};

} // namespace discern::tests
