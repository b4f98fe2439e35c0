// Vectors at the edges of roundings: few terms, powers of two, placed where one unit cuts a bit that another keeps.
//
// A bit that an alignment discards shows in d only if everything above it is a number of d or half-way between two.
// With many random terms that hardly ever happens; with one term for the number, one for the half and one for the bit
// it happens all the time. These vectors find floors, fraction bits and directions that differ by one.
#pragma once

#include "models/random.hpp"
#include "models/unit.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <vector>

namespace discern {

class EdgeVectors {
  public:
    EdgeVectors(const Unit& unit, std::uint64_t seed);
    /// The next of an endless stream, without d. Unit and seed determine it.
    Vector next();

  private:
    void place(Vector& v, int exponent, bool negative);
    std::uint64_t power(const Format& f, int exponent, bool negative) const;

    const Unit unit_;
    Random random_;
    std::vector<int> edges_;     ///< exponents that the tree names, and those of d
    std::vector<int> fractions_; ///< all F of the tree
};

} // namespace discern
