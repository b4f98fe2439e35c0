// One question to one back-end, or several attempts at it side by side.
#pragma once

#include "circuit.hpp"
#include "cross_check.hpp"
#include "solution.hpp"
#include "solver/backend/backend.hpp"

#include <optional>
#include <string>
#include <vector>

namespace discern {

/// What one attempt did.
struct Attempt {
    std::string name; ///< "sat", "sat seed 1", "sat, b powers of two", "sweep"
    Outcome outcome = Outcome::unknown;
    double seconds = 0;
};

struct SolverResult {
    Outcome outcome = Outcome::unknown; ///< whether the results can differ
    std::optional<Solution> solution;
    std::string by;                ///< the attempt that decided
    std::vector<Attempt> attempts; ///< all that were begun, in the order of their ends
    CrossCount cross;              ///< of the attempt that decided, or of all if none did
};

/// Can the results differ? @param assume  conditions on the inputs; with any of them, unsat proves nothing
/// @param cross  a second solver, without which unsat is not believed; its time is within the limit
SolverResult solve_with(const SpaceQuestion& question, const Circuit& circuit, const BackendKind& kind,
                        std::uint64_t seed, const Limit& limit, std::span<const Term> assume = {},
                        const CrossCheck* cross = nullptr);

/// By sweeping, which proves what is too hard at once, and at the same time the preferred back-end on the whole
/// question with several seeds, and on restrictions of the inputs, where solutions are often found sooner. The first
/// solution or proof ends all others; unsat on a restriction is neither. Which attempt is first, and so which solution
/// is found, may change from run to run.
/// @param threads  side by side, at least 1
/// @param cross    a second solver, without which no unsat is believed, be it of the question or of a lemma
SolverResult solve_portfolio(const SpaceQuestion& question, std::uint64_t seed, const Limit& limit, unsigned threads,
                             const CrossCheck* cross = nullptr);

} // namespace discern
