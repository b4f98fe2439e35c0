// A solver's values as a vector, and the members that differ on it.
#pragma once

#include "circuit.hpp"
#include "models/vectors.hpp"
#include "solver/backend/backend.hpp"

#include <cstdint>
#include <functional>

namespace discern {

struct Solution {
    Vector inputs;
    parametric::Assignment first, second; ///< members of the question's spaces
};

/// @param value  of a variable
Solution solution_of(const SpaceQuestion& question, const Circuit& circuit,
                     const std::function<std::uint64_t(Term)>& value);
/// The vector that values of these variables are.
Vector vector_from(const InputTerms& inputs, const std::function<std::uint64_t(Term)>& value);
/// The back-end's last check must have been sat.
Solution solution(Backend& backend, const SpaceQuestion& question, const Circuit& circuit);
/// The values of the input variables alone.
Vector solution(Backend& backend, const InputTerms& inputs);

} // namespace discern
