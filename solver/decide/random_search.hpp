// The cheapest question: do the units differ on one of some thousand random vectors?
//
// Most pairs of different units differ on every hundredth vector of random bits, others only where zeros, equal
// exponents, largest significands or the ends of the exponent range come together. So all families of random inputs
// are drawn in turn, with the landmarks of the one unit and of the other; and then, by turns with them, probes of each
// feature.
#pragma once

#include "models/families.hpp"
#include "solver/backend/limit.hpp"
#include "solver/question/replay.hpp"

#include <cstdint>
#include <functional>

namespace discern {

/// How many random vectors are worth their time before a solver is asked: that many products; of a unit with few bits
/// of inputs no more than a fourth of them all, since a solver answers sooner then.
std::uint64_t worthwhile_tries(const Unit& unit, std::uint64_t products);

/// Hands over the vectors on which the units differ among `tries` random ones (fewer if the limit is reached), until
/// `visit` does not want any more. The same seed gives the same vectors.
/// @param visit  takes a vector and says whether to go on
void random_search(const Pair& pair, std::uint64_t seed, std::uint64_t tries, const Limit& limit,
                   const std::function<bool(Vector)>& visit);

} // namespace discern
