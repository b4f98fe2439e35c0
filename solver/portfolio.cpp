// See portfolio.hpp.
#include "portfolio.hpp"

#include "models/error.hpp"

#include <mutex>
#include <thread>
#include <vector>

namespace discern {

namespace {

std::vector<std::uint64_t> values(Backend& backend, std::span<const Term> row) {
    std::vector<std::uint64_t> result;
    for (const Term t : row) result.push_back(backend.value(t).low());
    return result;
}

Vector solution(Backend& backend, const InputTerms& inputs) {
    Vector v;
    v.a = values(backend, inputs.a);
    v.b = values(backend, inputs.b);
    v.sa = values(backend, inputs.sa);
    v.sb = values(backend, inputs.sb);
    if (inputs.c) v.c = backend.value(*inputs.c).low();
    return v;
}

} // namespace

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
