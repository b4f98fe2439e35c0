// A vector for each bin that a file does not hit, or that there is none.
#pragma once

#include "bins.hpp"

#include "models/vectors.hpp"
#include "solver/backend/backend.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace discern::coverage {

struct Filled {
    Outcome outcome = Outcome::unknown; ///< sat: `vector` hits the bin; unsat: no inputs do
    std::optional<Vector> vector;       ///< with the unit's d
};

struct FillOptions {
    std::uint64_t seed = 1;
    double seconds_each = 20; ///< for one bin at most
    Limit limit;              ///< for all of them
    std::function<void(std::size_t done)> progress;
};

/// Asks a solver for each of these bins (indices of `conditions`); a vector that hits several of them is given for
/// each. Every vector is computed by both evaluators, and its recorded walk is seen to hit the bin.
/// @return one for each of `wanted`
/// @throws Error if a vector does not replay: an internal error
std::vector<Filled> fill(const Unit& unit, const Conditions& conditions, const std::vector<std::size_t>& wanted,
                         const FillOptions& options);

} // namespace discern::coverage
