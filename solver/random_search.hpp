// The cheapest question: does any of some thousand random vectors tell the units apart?
//
// Most pairs of different units differ on every hundredth vector of plain random bits, others only where zeros, equal
// exponents, largest significands or the ends of the exponent range come together; so each vector is drawn in a style
// of its own, which makes some of these frequent.
#pragma once

#include "limit.hpp"
#include "replay.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace discern {

using Random = std::mt19937_64;

/// One vector of inputs for the unit, in a random style.
Vector random_vector(Random& random, const Unit& unit);

/// Vectors on which the units differ, at most `wanted`, found among `tries` random ones (fewer if the limit is
/// reached). The same seed gives the same vectors.
std::vector<Vector> random_search(const Pair& pair, std::uint64_t seed, std::uint64_t tries, std::size_t wanted,
                                  const Limit& limit);

} // namespace discern
