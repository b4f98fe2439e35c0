// How far one result is from what it stands for: the exact sum of all products and c, before anything is rounded.
#pragma once

#include "models/shape.hpp"
#include "trace.hpp"

#include <cstdint>
#include <optional>

namespace discern::explain {

struct Exactness {
    Number exact;              ///< the sum; NaN or infinite if an operand makes it so
    std::optional<double> ulp; ///< d − exact, in ulp of the exact sum in d's format; nothing unless both are finite
    std::optional<double> relative; ///< of |exact|; nothing either if that is zero
    bool is_exact = false;          ///< d is the exact sum; a distance may be too small for a double
    bool is_correct = false;        ///< d is the exact sum, rounded to nearest, ties to even; the sign of a zero aside
    std::uint64_t correct = 0;      ///< that number, as a pattern
};

/// The most products of a vector whose exact sum is known: those that one sum of a unit has.
inline constexpr int longest_exact = 4096;

/// @param inputs  of the shape's sizes
Exactness exactness(const Shape& shape, const Inputs& inputs, std::uint64_t d);

} // namespace discern::explain
