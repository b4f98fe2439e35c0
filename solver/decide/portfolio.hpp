// One question to one back-end, or several attempts at it side by side.
#pragma once

#include "attempts.hpp"
#include "solver/question/circuit.hpp"
#include "solver/question/solution.hpp"

namespace discern {

using SolverResult = Asked<Solution>;

/// Can the results differ? @param assume  conditions on the inputs; with any of them, unsat proves nothing
/// @param cross  a second solver, which has to confirm unsat; its time is within the limit
SolverResult solve_with(const SpaceQuestion& question, const Circuit& circuit, const BackendKind& kind,
                        std::uint64_t seed, const Limit& limit, std::span<const Term> assume = {},
                        const CrossCheck* cross = nullptr);

/// By sweeping, which proves what is too hard in one step, and at the same time the preferred back-end on the whole
/// question with several seeds, and on restrictions of the inputs, where solutions are often found sooner. The first
/// solution or proof ends all others; unsat on a restriction is neither. Which attempt is first, and so which solution
/// is found, may change from run to run.
/// @param threads  side by side, at least 1
/// @param cross    a second solver, which has to confirm every unsat, of the question and of lemmas
SolverResult solve_portfolio(const SpaceQuestion& question, std::uint64_t seed, const Limit& limit, unsigned threads,
                             const CrossCheck* cross = nullptr);

} // namespace discern
