// Whether two readings of a text are one design, for all inputs.
//
// A text is read more than once: as synthesis reads it and as a simulator does, and by another program. Mostly the
// netlists are one term, or become one when they are folded; where they are not, a solver is asked.
#pragma once

#include "designs/clocked/circuit.hpp"
#include "read/sources.hpp"

#include "solver/backend/backend.hpp"
#include "solver/question/question.hpp"

#include <vector>

namespace discern::rtl {

struct ReadingsDiffer {
    Outcome outcome = Outcome::unknown; ///< sat: on some input
    Vector vector;                      ///< after sat
};

/// Whether two rows of words over the same inputs can differ. Rows of other lengths do, on the vector of zeros.
ReadingsDiffer readings_differ(Terms& t, const Unit& unit, const InputTerms& inputs, const std::vector<Term>& one,
                               const std::vector<Term>& other, const Limit& limit);

/// Reads the design by another program, if one is installed that takes it, and compares d.
/// @return what was done, and what came of it: stages of the answer
/// @throws Error if they read different designs
std::vector<Stage> compare_other_readers(const DesignQuestion& question, const Sources& sources, const Limit& limit);

} // namespace discern::rtl
