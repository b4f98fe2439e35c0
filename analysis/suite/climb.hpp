// One vector that separates as many classes as possible: random changes of a good one, kept if they do no harm.
//
// Two rare differences seldom meet in one random vector. Parts of vectors that show one each can be put together step
// by step, which is far cheaper than asking a solver for all at once.
#pragma once

#include "solver/backend/limit.hpp"

#include "models/unit.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <functional>
#include <span>

namespace discern {

/// @param pool  vectors whose parts are used, at least one; the search starts from the first ones
/// @param cost  what is to become 0: the number of pairs that a vector leaves together; a vector that may not be used
///              costs more than any other
/// @return the best vector found. The same seed gives the same, unless the limit is reached
Vector climb(const Unit& unit, std::span<const Vector> pool, const std::function<std::size_t(const Vector&)>& cost,
             std::uint64_t seed, const Limit& limit);

} // namespace discern
