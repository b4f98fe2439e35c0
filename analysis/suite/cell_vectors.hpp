// Vectors that may split a cell: of all families and probes of all features, from the points of view of a few of its
// units.
#pragma once

#include "models/stimulus/probes/probes.hpp"
#include "models/vectors.hpp"
#include "models/vectors/mixture.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace discern {

class CellVectors {
  public:
    /// @param views  units of one shape, at least one; they must outlive the object
    CellVectors(std::span<const Unit> views, std::uint64_t seed);
    /// The next vector, without results.
    Vector next();

  private:
    std::span<const Unit> views_;
    InputMixture mixture_;
    ProbeMaker probes_;
    InputBuffer buffer_;
    std::uint64_t made_ = 0;
};

} // namespace discern
