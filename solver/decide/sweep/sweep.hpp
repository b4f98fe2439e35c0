// Proofs by small steps: internal terms that are equal on many vectors are proved equal one after the other, from the
// inputs up, and each proved pair becomes one term before the next is looked at.
//
// This is SAT sweeping (Kuehlmann et al., "Robust Boolean reasoning for equivalence checking and functional property
// verification", 2002) on words instead of gates. On two units it finds by itself the lemmas that a person would
// write down: the largest exponents are equal, each aligned term is, the sum is, d of the first block is. Substituting
// at word level matters: sums whose operands became the same terms are the same term whatever their order was, while
// the same fact is hard for a SAT solver.
#pragma once

#include "solver/backend/backend.hpp"
#include "solver/question/circuit.hpp"
#include "solver/question/cross_check.hpp"

#include <cstddef>
#include <optional>

namespace discern {

struct SweepResult {
    Outcome outcome = Outcome::unknown; ///< whether the results can differ: unsat is a proof
    std::optional<Vector> inputs;       ///< of a solution
    std::size_t lemmas = 0;             ///< pairs proved and merged
    std::size_t refuted = 0;            ///< pairs that looked equal and were not
    std::size_t open = 0;               ///< pairs given up
    CrossCount cross;                   ///< lemmas, and what remained after them, asked again
};

struct SweepOptions {
    Terms::Order order = Terms::Order::canonical;
    /// A second solver, which has to confirm every lemma and the proof; nullptr: none.
    const CrossCheck* cross = nullptr;
};

/// @param circuit  is extended by the substituted terms
/// @param assume   a condition on the inputs under which everything is asked and proved (1 bit)
SweepResult sweep(Circuit& circuit, const Pair& pair, const BackendKind& kind, Term assume, std::uint64_t seed,
                  const Limit& limit, const CrossCheck* cross = nullptr);

/// The whole question by sweeping, apart for inputs whose products and c are all zero and for all others: for the
/// former only the largest exponents often differ, so that the lemmas hold for the latter only.
SweepResult prove_by_sweeping(const Question& question, const BackendKind& kind, std::uint64_t seed, const Limit& limit,
                              const SweepOptions& options = {});

} // namespace discern
