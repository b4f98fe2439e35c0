// One question, one answer: is there an input, and a member of each of two spaces, whose results differ?
//
// Every claim that two units are equivalent comes from here. "Equivalent" rests on terms that fold to one node, or
// on a solver that says unsat; everything known about ranges is in how terms are built, and only makes that cheaper.
// What is not decided in time is unknown.
#pragma once

#include "solver/backend/limit.hpp"
#include "solver/question/cross_check.hpp"
#include "solver/question/question.hpp"

#include "models/members.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace discern {

/// How a question is decided, whatever is asked about.
struct SolvingOptions {
    double timeout = 60; ///< seconds for everything
    std::stop_token stop;
    std::uint64_t seed = 0;
    /// Attempts of a portfolio side by side, at least two; 0: two to four, as the machine has. Which attempt answers,
    /// and so the vector, is a matter of time; the verdict is not, but for the limit.
    unsigned threads = 0;
    /// "portfolio": everything that helps; else the name of the one back-end that is asked.
    std::string solver = "portfolio";
    /// Whether both sides are one term. Empty: the encoder says so; tests have something else say it wrongly.
    std::function<bool(const SpaceQuestion&)> is_one_term;
    /// Called when a stage begins, if there is one.
    std::function<void(const std::string& stage)> progress;
    std::filesystem::path reports = "."; ///< where a report is written if an answer proves wrong
};

/// As solver also "none": terms and search.
struct DecideOptions : SolvingOptions {
    /// Whether the members of a space that are one term with the other side are looked for, box by box.
    bool divide_boxes = true;
    /// A second solver, which has to confirm every unsat; nullptr: none.
    const CrossCheck* cross = nullptr;
    /// If set: called before any solver for a vector on which two units differ, already replayed; it may have none.
    std::function<std::optional<Vector>(const Limit& limit)> search;
};

/// What answered (by) is "terms", "random", "sat by sweeping gates, one block"; of a proof also facts that the program
/// knows by going through all numbers: "terms, digits of products" (encodings/sum/unobservable.hpp).
struct Decision : Answered {
    /// If different: the vector, without d, and the members that differ on it. Replayed on both models of both.
    std::optional<Vector> witness;
    std::optional<Unit> first, second;
    std::vector<parametric::Box> unfolded; ///< if unknown: of the second space, what is not one term with the first
    bool folded = false;                   ///< the answer is that both sides are one term
    CrossCount cross;                      ///< answers on which this one rests
};

/// @throws Error if a solver is to be asked that this build has not
/// @throws std::logic_error that names a report file if a solver's vector does not hold, or a vector refutes a proof
Decision decide(const SpaceQuestion& question, const DecideOptions& options);

/// Units that fold to one term.
struct FoldedTerms {
    std::vector<std::size_t> number; ///< of each unit's term, from 0 in the order in which they come up
    std::string by;                  ///< as that of a decision
};
/// @param units  of one shape
/// @throws TimeIsOver when the limit is reached first
FoldedTerms folded_terms(const UnitList& units, const Limit& limit = {});

/// The spaces that units make: those of one skeleton together (parametric::family_of).
/// @return with each space, the indices of its units
std::vector<std::pair<parametric::UnitSpace, std::vector<std::size_t>>> spaces_of(std::span<const Unit* const> units);

} // namespace discern
