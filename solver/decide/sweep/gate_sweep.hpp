// Questions about terms by sweeping their gates: what two circuits have in common is proved equal gate by gate, from
// the inputs up (solver/sweep/merger.hpp), and what is left is asked at once.
//
// One circuit may have free parameters. Where all of a space gives the same result, its gates are mostly those of the
// unit beside it whatever the parameters are, and a question about thousands of units is hardly harder than one about
// two.
#pragma once

#include "encodings/graph/gates.hpp"
#include "encodings/graph/term.hpp"
#include "solver/backend/backend.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace discern {

/// Values of variables of the graph: a pattern, or a solution.
using Valuation = std::vector<std::pair<Term, std::uint64_t>>;

/// Values as a function of variables, which is 0 for all others. @param values  must outlive it
inline auto value_in(const Valuation& values) {
    return [&values](Term t) {
        const auto found = std::ranges::find(values, t, &Valuation::value_type::first);
        return found == values.end() ? std::uint64_t{0} : found->second;
    };
}

/// How much work a round is.
struct SweepRound {
    int conflicts;         ///< of the solver for one pair of gates
    std::size_t most_open; ///< pairs without an answer, after which the round ends
};

struct GateSweep {
    const Terms& terms;
    Term first, second; ///< whose gates are compared; the second's are merged with the first's
    Term differ;        ///< 1 bit: whether it can be 1 is the question
    Term assume;        ///< 1 bit, a condition on the variables
    std::vector<Term> variables;
    /// Makes patterns to begin with; those that do not satisfy `assume` are ignored.
    std::function<Valuation()> pattern;
    std::uint64_t seed = 0;
    Layout layout = Layout::balanced; ///< of both circuits
    /// Called now and then, with how many gates of how many a round has looked at.
    std::function<void(std::size_t done, std::size_t of)> progress = {};
    /// One round alone, after which the sweep ends with an answer or without; nothing: rounds until there is one.
    std::optional<SweepRound> only = {};
};

struct GateSweepResult {
    Outcome outcome = Outcome::unknown; ///< whether `differ` can be 1: unsat is a proof
    Valuation solution;                 ///< after sat
    std::size_t gates = 0, merged = 0, refuted = 0, open = 0;
};

/// @return unknown if this build has no SAT solver
GateSweepResult sweep_gates(const GateSweep& question, const Limit& limit);

} // namespace discern
