// A second solver, which is asked again for everything that an answer rests on: two programs rarely have the same bug.
//
// The first solver's unsat counts only if the second one, another program, says unsat too; the lemmas of a sweep as
// well as the whole question. It is asked each time anew: questions that have little in common gain nothing from one
// back-end, and some solvers are far faster at a single one.
#pragma once

#include "circuit.hpp"
#include "solver/backend/backend.hpp"

#include <filesystem>
#include <string>

namespace discern {

struct CrossCheck {
    BackendKind second;
    std::filesystem::path reports = "."; ///< where a report is written if the solvers contradict each other
};

/// The second solver by name; "auto" is the first back-end of this build that is not the one that answers.
/// @param answers  as DiscriminateOptions::solver
/// @throws Error if there is no such solver, or it is the one that answers
BackendKind second_solver(std::string_view wanted, std::string_view answers);

class Confirmation {
  public:
    /// @param check    may be nullptr: then everything counts as confirmed, and nothing is asked
    /// @param circuit  of the question, for a report; must outlive the object
    /// @param first    the name of the solver whose answers are asked again
    Confirmation(const CrossCheck* check, const Circuit& circuit, std::string first, std::uint64_t seed);
    /// As Backend::require.
    void require(Term condition) { conditions_.push_back(condition); }
    /// Whether the second solver too finds that the conditions and assumptions cannot be 1 together.
    /// @return false if it does not know
    /// @throws std::logic_error that names a report file if it finds that they can
    bool unsat(const Limit& limit, std::span<const Term> assumptions = {});
    /// Whether it too finds that they can.
    /// @throws std::logic_error that names a report file if it finds that they cannot
    bool sat(const Limit& limit);

    const CrossCount& count() const { return count_; }
    /// "sat, confirmed by z3"
    std::string stage_name(const std::string& of) const { return of + ", confirmed by " + check_->second.name; }

  private:
    bool agrees(Outcome expected, const Limit& limit, std::span<const Term> assumptions);
    [[noreturn]] void contradicted(Backend& second, Outcome said, Outcome first_said, std::span<const Term> all);

    const CrossCheck* check_;
    const Circuit& circuit_;
    std::string first_;
    std::uint64_t seed_;
    std::vector<Term> conditions_;
    CrossCount count_;
};

} // namespace discern
