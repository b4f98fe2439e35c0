// Proofs by small steps, gate by gate: gates of two circuits that are equal on many patterns are proved equal one after
// the other, from the inputs up, and each proved pair becomes one gate before the next is looked at.
//
// This is SAT sweeping (Kuehlmann et al., "Robust Boolean reasoning for equivalence checking and functional property
// verification", 2002), with one difference: one circuit may have free parameters. Where all of a space gives the same
// result, its gates are mostly those of the unit beside it whatever the parameters are, and a question about thousands
// of units is hardly harder than one about two.
//
// It is not the sweep that writes certificates (solver/certify/sweep.hpp) with the log left out, nor the other way
// round: here each gate is made again over the merged ones and normalised on the way (encodings/graph/gates.hpp), which
// is most of the work done and which no proof could follow cheaply; there the circuit stays as it is and each step has
// hints. Of two reference circuits of 4, 8 and 16 products that ignore zeros or give them an exponent, this sweep needs
// 0.2, 0.7 and 1.8 s, the one for certificates 0.6, 1.5 and 5.8 s; of those that only differ in carry bits 0 s and 0.5
// to 4.6 s. With the products of 8 in the reverse order it is 17 s against 2.6 s, because there circuits lie between
// the two. What they share is the list of gates and the candidates (solver/sweep/).
#pragma once

#include "encodings/graph/gates.hpp"
#include "encodings/graph/term.hpp"
#include "solver/backend/backend.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace discern {

/// Values of variables of the graph: a pattern, or a solution.
using Valuation = std::vector<std::pair<Term, std::uint64_t>>;

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
};

struct GateSweepResult {
    Outcome outcome = Outcome::unknown; ///< whether `differ` can be 1: unsat is a proof
    Valuation solution;                 ///< after sat
    std::size_t gates = 0, merged = 0, refuted = 0, open = 0;
};

/// @return unknown if this build has no SAT solver
GateSweepResult sweep_gates(const GateSweep& question, const Limit& limit);

} // namespace discern
