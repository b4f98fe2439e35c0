// A back-end's solution as a vector.
#pragma once

#include "encodings/encode.hpp"
#include "models/vectors.hpp"
#include "solver/backend/backend.hpp"

namespace discern {

/// The values of the input variables; the back-end's last check must have been sat.
Vector solution(Backend& backend, const InputTerms& inputs);

} // namespace discern
