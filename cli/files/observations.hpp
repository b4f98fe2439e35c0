// Comparing results that were observed.
#pragma once

#include "models/vectors.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace discern::cli {

/// How a file is to be read that may not say its formats and K: as the unit's, if one is named.
/// @throws Error if there is no such unit
std::optional<ReadAs> read_as(const std::string& unit);

/// Vectors that a target could not answer: they are in a file of observations with the reason, and are not compared.
class NotObserved {
  public:
    /// Whether this is one; it is counted.
    bool count(const Vector& vector);
    /// " but 3 that the target could not answer", or nothing.
    std::string but_those() const;
    /// A line that says how many and why, or nothing.
    std::string summary() const;

  private:
    std::uint64_t count_ = 0;
    std::string first_;
};

/// The one d of the vector read last. @param who  what compares, for messages: "--check compares"
/// @throws Error if there is none, or a list
std::uint64_t require_observation(const VectorReader& reader, const Vector& vector, std::string_view who);

/// The same bits, or both NaN where that is enough.
bool same_observation(const Format& format, bool nan_any, std::uint64_t d1, std::uint64_t d2);

} // namespace discern::cli
