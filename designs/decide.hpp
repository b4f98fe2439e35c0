// Is a design the unit, or another design? One question and one answer, as solver/decide/decide.hpp has it for two
// units.
//
// "Equivalent" rests on terms that fold to one node, or on a solver that says unsat of the unit's circuit and the term
// that the design is; for all values of what the design leaves open. "Different" comes with a vector on which both
// models of the unit agree, and on which a simulator gives what the term says of the design. Of two designs neither is
// taken for right: equal means equal bits, NaN too, and a simulator answers for each.
#pragma once

#include "read/sources.hpp"
#include "side.hpp"

#include "solver/decide/discriminate.hpp"

#include <vector>

namespace discern::rtl {

/// @param designs  one, beside the unit of its question; or two, in the order of the results
/// @param options  of which solver "portfolio" and "random" count, and no cross-check; its limits are not read
/// @throws Error if d depends on something that the design leaves open, or no simulator takes the design
/// @throws std::logic_error if the models, the term or the simulator contradict each other
Answer decide(const std::vector<ReadDesignOf>& designs, const DiscriminateOptions& options);

/// Reads the design and connects it. @throws Error with a sentence about the design, a port or an option
DesignQuestion read_question(const Unit& unit, const Sources& sources, const ConnectionText& connection,
                             const InputLimits& limits, const Limit& limit);

} // namespace discern::rtl
