// Whether a target is a function: earlier vectors, asked again, give the same results.
#pragma once

#include "identify.hpp"
#include "models/format.hpp"

#include <optional>
#include <vector>

namespace discern::identify {

/// Asks all vectors again in reverse order, which shows results that depend on the order; and once more in order, after
/// two other vectors, since a fault in every n-th answer may hit the same vectors in reverse.
/// @param nan  gets a vector whose answers are two NaN of other bits, if it has none; that is no other answer
/// @return a vector that gave another answer, if there was one
std::optional<Unsteady> changed_answer(const Format& d, const std::vector<Observation>& observations, const Ask& ask,
                                       std::optional<Unsteady>& nan);

/// Whether two results are NaN.
bool are_nan(const Format& d, std::uint64_t one, std::uint64_t other);

} // namespace discern::identify
