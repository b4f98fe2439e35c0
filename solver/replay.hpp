// A solver is never believed: every vector that anybody proposes is run on both models of both units first.
#pragma once

#include "question.hpp"

#include <optional>

namespace discern {

/// Two units with their evaluators, ready to run one vector after the other.
class Pair {
  public:
    Pair(const Unit& first, const Unit& second) : first_(first), second_(second) {}
    const Unit& first() const { return first_.unit(); }
    const Unit& second() const { return second_.unit(); }
    std::uint64_t first(const Inputs& inputs) const { return first_(inputs); }
    std::uint64_t second(const Inputs& inputs) const { return second_(inputs); }
    /// Whether two results of this vector count as different for at least one of the units.
    bool differ(std::uint64_t d1, std::uint64_t d2) const {
        return !same_result(first(), d1, d2) && !same_result(second(), d1, d2);
    }

  private:
    Evaluator first_, second_;
};

struct Replay {
    std::uint64_t d1 = 0, d2 = 0;             ///< by the integer models
    std::uint64_t exact_d1 = 0, exact_d2 = 0; ///< by the exact oracle
    bool models_agree = false;
    bool different = false;
};

Replay replay(const Pair& pair, const Inputs& inputs);

} // namespace discern
