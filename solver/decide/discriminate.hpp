// Find inputs on which two units differ, or prove that there are none.
#pragma once

#include "decide.hpp"

#include <span>
#include <string>

namespace discern {

/// As solver also "random": no back-end at all. A portfolio begins with random vectors.
struct DiscriminateOptions : SolvingOptions {
    InputLimits limits;    ///< of the inputs that count; a proof then speaks of these alone
    bool shrink = true;    ///< simplify witnesses
    std::size_t count = 1; ///< witnesses wanted, each of another kind (kinds.hpp)
    /// The back-end that has to confirm every unsat on which the answer rests, and is asked too where a solver found a
    /// witness; "auto": the first that is not the one that answers; empty: none.
    std::string cross_check;
};

/// The answer, with witnesses that were replayed. Unknown is an answer; it never becomes another.
/// @throws Error if the units cannot be compared, or the solver is not in this build
/// @throws std::logic_error that names a report file if a witness does not replay, two solvers contradict each other,
/// or a vector refutes a proof
Answer discriminate(const Unit& first, const Unit& second, const DiscriminateOptions& options);

/// One unit and several others of its shape: equivalent if all of them are. A witness separates the first from one of
/// the others. With several others spaces are asked about, all members at once (decide.hpp); where that is not possible
/// (another solver than the portfolio, a second solver) nothing is known.
Answer discriminate(const Unit& first, std::span<const Unit* const> others, const DiscriminateOptions& options);

} // namespace discern
