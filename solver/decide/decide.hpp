// One question, one answer: is there an input, and a member of each of two spaces, whose results differ?
//
// Whatever calls two units the same asks this and nothing else. "Equivalent" rests on terms that fold to one node, or
// on a solver that says unsat; everything known about ranges is in how terms are built, and only makes that cheaper.
// What is not decided in time is unknown.
#pragma once

#include "question.hpp"
#include "solver/backend/limit.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace discern {

struct DecideOptions {
    double timeout = 60; ///< seconds
    std::stop_token stop;
    std::uint64_t seed = 0;
    std::filesystem::path reports = "."; ///< where a report is written if a solver's answer proves wrong
};

struct Decision {
    Verdict verdict = Verdict::unknown;
    /// If different: the vector, without d, and the members that differ on it. Replayed on both models of both.
    std::optional<Vector> witness;
    std::optional<Unit> first, second;
    bool folded = false; ///< the answer is that both sides are one term
    std::string by;      ///< what answered: "terms", "sat by sweeping gates, one block", …
    std::vector<Stage> stages;
};

/// @throws Error if this build has no solver
/// @throws std::logic_error that names a report file if a solver's vector does not hold
Decision decide(const SpaceQuestion& question, const DecideOptions& options);

/// Units that fold to one term: the number of its term for each, from 0 in the order in which they come up.
/// @param units  of one shape
std::vector<std::size_t> folded_terms(std::span<const Unit* const> units);

/// The spaces that units make: those of one skeleton together (parametric::family_of).
/// @return with each space, the indices of its units
std::vector<std::pair<parametric::UnitSpace, std::vector<std::size_t>>> spaces_of(std::span<const Unit* const> units);

} // namespace discern
