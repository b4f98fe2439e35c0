// Partial sums of whole rows by the CPU's own additions and conversions, which are those of f32 and f64, to nearest.
// All others go element by element through Evaluator.
#pragma once

#include "models/format.hpp"
#include "models/rounding.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace discern::fast {

/// to[i] = x[i] + y[i], or x[i], for patterns in words; x or y may be nullptr: +0 everywhere. Every NaN is `nan`.
using RowSum = void (*)(const void* x, const void* y, void* to, std::size_t count, std::uint64_t nan);

/// @param y  nothing: a conversion
/// @return nullptr if the CPU has no such sum
RowSum row_sum(FormatId x, std::optional<FormatId> y, FormatId to, Rounding mode);

} // namespace discern::fast
