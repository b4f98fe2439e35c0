// The project's own random numbers, so that a seed means the same stream on every platform and in every version.
//
// The generator is xoshiro256** of Blackman and Vigna ("Scrambled linear pseudorandom number generators", 2021), its
// state filled by splitmix64 as they recommend. Nothing here uses a distribution of the standard library, whose
// algorithms are left to implementations, nor a floating-point function that may be rounded differently elsewhere.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

namespace discern {

/// For a function that takes a sign, true if negative: draw it.
inline constexpr std::nullopt_t any_sign = std::nullopt;

class Random {
  public:
    explicit Random(std::uint64_t seed) {
        for (std::uint64_t& word : state_) {
            seed += 0x9e3779b97f4a7c15ull; // splitmix64
            std::uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
            z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
            word = z ^ (z >> 31);
        }
    }

    /// 64 random bits.
    std::uint64_t bits() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    /// 0 … n−1, for n from 1 to 2^32. Biased by less than n / 2^32, by the multiplication instead of a rejection.
    int below(int n) { return static_cast<int>(((bits() >> 32) * static_cast<std::uint64_t>(n)) >> 32); }
    /// low … high, both included.
    int between(int low, int high) { return low + below(high - low + 1); }
    /// True once in n calls.
    bool one_in(int n) { return below(n) == 0; }
    /// The sign that is given, or any. Functions that take `any_sign` draw it when they begin: two draws among the
    /// arguments of one call would be in whatever order a compiler likes, and a seed another stream with each.
    bool sign(std::optional<bool> negative) { return negative ? *negative : one_in(2); }

    /// Approximately N(0, 1): the sum of twelve uniform numbers, centred. All of its steps are exact in a double, so it
    /// is the same everywhere; no value is beyond ±6.
    double normal() {
        std::int64_t sum = -(std::int64_t{6} << 48);
        for (int i = 0; i < 12; ++i) sum += static_cast<std::int64_t>(bits() >> 16);
        return static_cast<double>(sum) / static_cast<double>(std::int64_t{1} << 48);
    }

  private:
    std::array<std::uint64_t, 4> state_{};
};

} // namespace discern
