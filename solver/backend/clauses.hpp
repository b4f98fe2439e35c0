// A SAT solver for many small questions about one growing set of clauses, of which sweeping asks thousands.
//
// It is beside Backend, whose questions are few, large and in words.
#pragma once

#include "backend.hpp"

#include <initializer_list>
#include <memory>
#include <span>

namespace discern {

class ClauseSolver {
  public:
    virtual ~ClauseSolver() = default;
    /// A clause over variables 1, 2, …; negative numbers are negated.
    virtual void add(std::span<const int> clause) = 0;
    void add(std::initializer_list<int> clause) { add(std::span(clause.begin(), clause.size())); }
    /// Whether all clauses hold together with these literals, which are for this call only.
    /// @param conflicts  after so many it gives up; negative: never
    virtual Outcome solve(std::span<const int> assumptions, int conflicts, const Limit& limit) = 0;
    /// After sat: the value of a variable in the solution.
    virtual bool value(int variable) = 0;
};

/// @param incremental  for many small questions; else for a single one that may be hard
/// @return nothing if this build has no SAT solver
std::unique_ptr<ClauseSolver> make_clause_solver(std::uint64_t seed, bool incremental);

} // namespace discern
