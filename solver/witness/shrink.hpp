// Witnesses that people can read: the same difference with as little in the vector as possible.
#pragma once

#include "solver/question/replay.hpp"

#include <functional>

namespace discern {

/// Simplifies a vector, one pattern after the other, as long as it stays good: terms become zero, then factors become 1
/// or a power of two, then significands short, signs plus. The result cannot be simplified further by any one of these
/// steps, and is the last vector that was found good. d is left as it is.
/// @param unit  of whose formats the vector is
/// @param good  true of the vector
Vector simplified(const Unit& unit, Vector vector, const std::function<bool(const Vector&)>& good);

/// Simplifies a vector on which the units differ as long as they still differ.
/// @param good  what else has to stay true, which it is of the vector; nothing: no more
Vector shrunk(const Pair& pair, Vector vector, const std::function<bool(const Vector&)>& good = {});

} // namespace discern
