// A question about a unit and a design, or of a certificate of two units, split into cases: "not one input differs" is
// proved for each case alone, and the cases together are all inputs, since each split is at a number of one quantity,
// into what is below and what is not.
//
// A sweep of one case finds by itself what the case makes constant: amounts of shifts, which number is the largest.
// What is left are adders of words that are shifted by constants, which are much alike whatever the design's style.
#pragma once

#include "quantities.hpp"

#include "designs/clocked/circuit.hpp"
#include "designs/clocked/patterns.hpp"
#include "solver/backend/backend.hpp"
#include "solver/backend/limit.hpp"
#include "solver/decide/sweep/gate_sweep.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace discern::rtl {

struct CasesOptions {
    std::uint64_t seed = 0;
    unsigned threads = 1; ///< at least 1
    /// How much work a case is before it is split further. Large ones, of three numbers alone, have many distances of
    /// exponents. In small cases most pairs of gates that agree on all vectors are equal, and 2000 conflicts, which few
    /// pairs need, leave so little open that fewer for each take longer in sum (measured on PULP's ExSdotp and on the
    /// OpenHW Group's multiply-add of f32: 300 took three times as long).
    SweepRound large{.conflicts = 300, .most_open = 100}, small{.conflicts = 2000, .most_open = 40};
    /// Called with how many cases are proved and how many wait; from any thread, never from two at once.
    std::function<void(std::size_t proved, std::size_t waiting)> progress = {};
};

struct SplitResult {
    Outcome outcome = Outcome::unknown; ///< unsat: all cases are proved
    std::size_t proved = 0;             ///< cases
    std::vector<std::string> open;      ///< cases without an answer, in words
};
struct CasesResult : SplitResult {
    std::optional<Found> solution; ///< after sat
    std::set<std::string> facts;   ///< on which the terms rest (Terms::facts)
};

/// Whether a unit's questions can be split.
inline bool can_be_split(const Unit& unit) { return !quantities_of(unit).empty(); }

/// Asks about one case; from any thread. sat ends all. @param work  of it; nothing: until there is an answer
using AskCase = std::function<Outcome(const Case&, std::optional<SweepRound> work)>;

/// Splits all inputs into cases, and those that are hard further, until each has an answer.
/// @param unit  whose numbers are added @param limits  of the inputs
SplitResult split_into_cases(const Unit& unit, const InputLimits& limits, const CasesOptions& options,
                             const AskCase& ask, const Limit& limit);

/// @param asked_for  0: as many as the machine has
unsigned threads_for_cases(unsigned asked_for);

/// @param cuts  cut points; the wires of those that were proved replace their nets
CasesResult ask_by_cases(const DesignQuestion& question, const std::vector<CutPoint>& cuts, const CasesOptions& options,
                         const Limit& limit);

} // namespace discern::rtl
