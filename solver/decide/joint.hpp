// One question over several units: is there a set of so many vectors that separates all of them?
//
// All units are encoded in one graph, once for each vector of the set. A solution is a smaller suite than random
// vectors gave; that there is none is a lower bound that holds for all vectors there are.
#pragma once

#include "solver/backend/backend.hpp"
#include "solver/question/question.hpp"

#include <set>
#include <utility>
#include <vector>

namespace discern {

struct JointQuestion {
    std::vector<Unit> units;                               ///< of one shape
    std::set<std::pair<std::size_t, std::size_t>> excused; ///< pairs, smaller index first, that may stay together
    std::size_t count = 1;                                 ///< vectors in the set, at least 1
    InputLimits limits;
};

struct JointAnswer {
    Outcome outcome = Outcome::unknown;
    std::vector<Vector> vectors; ///< of a solution, not replayed; d is empty
};

JointAnswer separate_jointly(const JointQuestion& question, const BackendKind& kind, std::uint64_t seed,
                             const Limit& limit);

} // namespace discern
