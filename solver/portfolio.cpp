// See portfolio.hpp.
#include "portfolio.hpp"

#include "models/error.hpp"
#include "solution.hpp"

#include <mutex>
#include <thread>
#include <vector>

namespace discern {

SolverResult solve_with(const Circuit& circuit, const BackendKind& kind, std::uint64_t seed, const Limit& limit,
                        std::span<const Term> assume) {
    const auto backend = kind.make(circuit.terms, seed);
    backend->require(circuit.differ);
    for (const Term condition : assume) backend->require(condition);
    SolverResult result;
    result.by = kind.name;
    result.outcome = backend->check(limit);
    if (result.outcome == Outcome::sat) result.inputs = solution(*backend, circuit.inputs);
    return result;
}

SolverResult solve_portfolio(Circuit& circuit, std::uint64_t seed, const Limit& limit) {
    if (backends().empty()) throw Error("this build has no solver: only random search is possible (--solver random)");
    return solve_with(circuit, backends().front(), seed, limit);
}

} // namespace discern
