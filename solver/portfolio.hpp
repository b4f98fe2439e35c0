// One question to one back-end, or to several at once.
#pragma once

#include "backend.hpp"
#include "circuit.hpp"

#include <optional>
#include <string>

namespace discern {

struct SolverResult {
    Outcome outcome = Outcome::unknown;
    std::optional<Vector> inputs; ///< of a solution
    std::string by;               ///< who answered: "sat", "sat seed 3", "sat, b powers of two", …
};

/// Can the results differ? @param assume  conditions on the inputs; with any of them, unsat proves nothing
SolverResult solve_with(const Circuit& circuit, const BackendKind& kind, std::uint64_t seed, const Limit& limit,
                        std::span<const Term> assume = {});

/// First the preferred back-end on restricted inputs, where solutions are often found sooner; then on the whole
/// question, with several seeds side by side. The answer of a whole question is final, unsat on a restriction is not.
SolverResult solve_portfolio(Circuit& circuit, std::uint64_t seed, const Limit& limit);

} // namespace discern
