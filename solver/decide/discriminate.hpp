// Find inputs on which two units differ, or prove that there are none.
#pragma once

#include "solver/backend/limit.hpp"
#include "solver/question/question.hpp"

#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace discern {

struct DiscriminateOptions {
    /// "portfolio": random vectors first, then every back-end that helps; else the name of one back-end, which then
    /// alone answers ("random": no back-end at all).
    std::string solver = "portfolio";
    InputLimits limits;  ///< of the inputs that count; a proof then speaks of these alone
    double timeout = 60; ///< seconds for everything
    std::stop_token stop;
    std::uint64_t seed = 0;
    unsigned threads = 0;  ///< as DecideOptions::threads
    bool shrink = true;    ///< simplify witnesses
    std::size_t count = 1; ///< witnesses wanted, each of another kind (kinds.hpp)
    /// The back-end that has to confirm every unsat on which the answer rests, and is asked too where a solver found a
    /// witness; "auto": the first that is not the one that answers; empty: none.
    std::string cross_check;
    std::function<bool(const SpaceQuestion&)> is_one_term; ///< as DecideOptions::is_one_term
    /// Called when a stage begins, if there is one.
    std::function<void(const std::string& stage)> progress;
    std::filesystem::path reports = "."; ///< where a report is written if an answer proves wrong
};

/// The answer, with witnesses that were replayed. Unknown is an answer; it never becomes another.
/// @throws Error if the units cannot be compared, or the solver is not in this build
/// @throws std::logic_error that names a report file if a witness does not replay, two solvers contradict each other,
/// or a vector refutes a proof
Answer discriminate(const Unit& first, const Unit& second, const DiscriminateOptions& options);

/// One unit and several others of its shape: equivalent if all of them are. A witness separates the first from one of
/// the others. With several others spaces are asked about, all members at once (decide.hpp); where that is not possible
/// (another solver than the portfolio, a second solver) nothing is known.
Answer discriminate(const Unit& first, std::span<const Unit* const> others, const DiscriminateOptions& options);

} // namespace discern
