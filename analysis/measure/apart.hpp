// How far apart two results are: numbers of their format from one to the other, and relative error, added up.
#pragma once

#include "models/format.hpp"

#include <array>
#include <cstdint>

namespace discern {

/// Numbers of the format from one to the other, both ends' zeros being one number: 1 for neighbours. Both finite.
std::uint64_t ulps_between(const Format& format, std::uint64_t one, std::uint64_t other);

/// Sums and counts over pairs of results that differ.
struct Apart {
    std::uint64_t finite = 0;    ///< both are numbers, and different ones
    std::uint64_t zero_sign = 0; ///< only the sign of a zero differs
    std::uint64_t special = 0;   ///< one of them, or both, are infinite or NaN
    std::uint64_t most_ulps = 0;
    double sum_of_ulps = 0;
    std::uint64_t from_zero = 0; ///< of the finite ones: the reference is zero, and there is no relative error
    double largest_relative = 0, sum_of_relative = 0;
    /// Counts by distance in ulps: 1, 2, 3 to 4, 5 to 8, …
    std::array<std::uint64_t, 65> by_ulps{};

    std::uint64_t all() const { return finite + zero_sign + special; }
    void add(const Format& format, std::uint64_t reference, std::uint64_t other);
    /// Adds what another one has added up.
    void add(const Apart& other);
};

} // namespace discern
