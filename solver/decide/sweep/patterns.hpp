// SweepPatterns for sweeping: vectors of all families, made around random members of the spaces, with random members.
#pragma once

#include "gate_sweep.hpp"
#include "solver/question/circuit.hpp"

#include "models/random.hpp"
#include "models/vectors/mixture.hpp"

#include <vector>

namespace discern {

/// A member of a box of the space.
parametric::Assignment random_member(const parametric::UnitSpace& space, Random& random);
parametric::Assignment random_member(const parametric::Box& box, Random& random);

/// The patterns of a vector, as values of the variables that stand for them.
Valuation valuation(const InputTerms& variables, const InputBuffer& vector);

class SweepPatterns {
  public:
    SweepPatterns(const SpaceQuestion& question, const Circuit& circuit, std::uint64_t seed);
    Valuation next();

  private:
    const SpaceQuestion& question_;
    const Circuit& circuit_;
    Random random_;
    std::vector<InputMixture> mixtures_; ///< of members, in turn
    std::size_t turn_ = 0;
};

} // namespace discern
