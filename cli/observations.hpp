// Comparing results that were observed.
#pragma once

#include "models/vectors.hpp"

#include <cstdint>
#include <string_view>

namespace discern::cli {

/// The one d of the vector read last. @param who  compares: "--check compares"
/// @throws Error if there is none, or a list
std::uint64_t require_observation(const VectorReader& reader, const Vector& vector, std::string_view who);

/// The same bits, or both NaN where that is enough.
bool same_observation(const Format& format, bool nan_any, std::uint64_t d1, std::uint64_t d2);

} // namespace discern::cli
