// Solvers are not trusted: every proposed vector is run on both models of both units before it is used.
#pragma once

#include "question.hpp"

namespace discern {

/// Two units with their evaluators, ready to run one vector after the other.
class Pair {
  public:
    explicit Pair(const Question& question)
        : first_(question.first), second_(question.second), limits_(question.limits) {}
    const Unit& first() const { return first_.unit(); }
    const Unit& second() const { return second_.unit(); }
    std::uint64_t first(const Inputs& inputs) const { return first_(inputs); }
    std::uint64_t second(const Inputs& inputs) const { return second_(inputs); }
    /// Whether two results of this vector count as different for at least one of the units.
    bool differ(std::uint64_t d1, std::uint64_t d2) const {
        return !same_result(first(), d1, d2) && !same_result(second(), d1, d2);
    }
    bool allows(const Inputs& inputs) const { return limits_.none() || discern::allows(limits_, first(), inputs); }
    /// Whether the vector answers the question: it is within the limits, and the results differ.
    bool tells(const Inputs& inputs) const { return allows(inputs) && differ(first(inputs), second(inputs)); }

  private:
    Evaluator first_, second_;
    InputLimits limits_;
};

struct Replay {
    std::uint64_t d1 = 0, d2 = 0;             ///< by the integer models
    std::uint64_t exact_d1 = 0, exact_d2 = 0; ///< by the exact oracle
    bool models_agree = false;
    bool different = false; ///< and within the limits
};

Replay replay(const Pair& pair, const Inputs& inputs);

} // namespace discern
