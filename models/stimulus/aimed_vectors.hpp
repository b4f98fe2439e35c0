// Vectors on which units may differ: of all families and probes of all features by turns, from the points of view of a
// few units.
//
// Suites split cells of units with them, and claims that units are the same are challenged with them.
#pragma once

#include "models/stimulus/probes/probes.hpp"
#include "models/vectors.hpp"
#include "models/vectors/mixture.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace discern {

class AimedVectors {
  public:
    /// @param views  units of one shape, at least one; they must outlive the object
    AimedVectors(std::span<const Unit> views, std::uint64_t seed);
    /// The next vector, without results. Views and seed determine it.
    Vector next();

  private:
    std::span<const Unit> views_;
    InputMixture mixture_;
    ProbeMaker probes_;
    InputBuffer buffer_;
    std::uint64_t made_ = 0;
};

} // namespace discern
