// A small CDCL solver for questions about gates, which records for every clause that it learns the clauses it follows
// from.
//
// The questions of a sweep are thousands of easy ones, and each answer has to come with hints. A solver that writes no
// hints would have to be followed by a checker that finds them; here they are the clauses that conflict analysis
// resolves anyway. Learning and backjumping are those of MiniSat (Eén and Sörensson, "An Extensible SAT-solver", 2003),
// without restarts; branching is on given variables only, those of the gates that a question is about.
#pragma once

#include "log.hpp"

#include <optional>
#include <queue>

namespace discern::certificate {

class Prover {
  public:
    Prover(std::size_t variables, ProofLog& log);

    /// There are that many variables from now on, not fewer than before.
    void grow(std::size_t variables);
    /// A clause that holds, and its number in the proof.
    void add(std::span<const std::int32_t> clause, ClauseId id);
    /// Forgets the clauses that were added for a gate.
    void forget(std::span<const ClauseId> ids);

    enum class Answer { impossible, possible, open };
    struct Result {
        Answer answer;
        std::vector<std::int32_t> lemma; ///< impossible: opposites of some of the assumptions,
        ClauseId id = 0;                 ///< … its number
    };
    /// Whether all assumptions can be true.
    /// @param branches  variables to branch on; `possible` means that they all have values without a conflict
    Result solve(std::span<const std::int32_t> assumptions, std::span<const std::uint32_t> branches, int conflicts);

    /// After `possible`: the value that the variable had; nothing if it had none.
    std::optional<bool> value_found(std::uint32_t variable) const {
        return found_[variable] == 0 ? std::nullopt : std::optional(found_[variable] > 0);
    }

  private:
    using Index = std::uint32_t; ///< of a clause here
    static constexpr Index none = ~Index{0};
    struct Clause {
        std::vector<std::int32_t> literals; ///< the first two are watched
        ClauseId id;
        bool forgotten = false;
    };
    static std::size_t slot(std::int32_t x) {
        return x > 0 ? 2 * static_cast<std::size_t>(x) : 2 * static_cast<std::size_t>(-x) + 1;
    }
    static std::uint32_t variable(std::int32_t x) { return static_cast<std::uint32_t>(x < 0 ? -x : x); }
    int value(std::int32_t x) const { return x < 0 ? -values_[variable(x)] : values_[variable(x)]; }
    int level() const { return static_cast<int>(level_begins_.size()); }

    void drop(Index index); ///< at level 0, where no reason is asked for any more
    Index store(std::vector<std::int32_t> literals, ClauseId id, bool learned);
    void make_true(std::int32_t x, Index reason);
    Index propagate();
    void back_to(int level);
    std::int32_t branch();
    void bump(std::uint32_t v);

    /// Learns from a conflict; the literal that the clause asserts is its first. Empty at level 0.
    void learn(Index conflict);
    /// The clause over the assumptions that shows why one of them is false.
    void explain(std::int32_t assumption, Result& result);
    /// Adds the reason of a literal to the hints of what is being derived, or the unit clause of one at level 0.
    void resolve(std::int32_t x);
    /// Adds the clause, with its hints; what was seen on the way to it is seen no more.
    ClauseId derived(std::span<const std::int32_t> clause, std::optional<ClauseId> last);
    void forget_long_ones();

    ProofLog& log_;
    std::vector<Clause> clauses_;
    std::vector<std::vector<Index>> watches_; ///< by slot of a literal: clauses to look at when it becomes false
    std::vector<std::int8_t> values_, phases_, found_;
    std::vector<int> levels_;
    std::vector<Index> reasons_;
    std::vector<std::uint32_t> positions_; ///< on the trail
    std::vector<ClauseId> units_;          ///< of variables with a value at level 0: the unit clause
    std::vector<std::int32_t> trail_;
    std::vector<std::size_t> level_begins_;
    std::size_t propagated_ = 0;

    std::vector<double> activity_;
    double activity_step_ = 1;
    std::vector<bool> may_branch_;
    std::priority_queue<std::pair<double, std::uint32_t>> order_;

    std::vector<bool> seen_;
    std::vector<std::uint32_t> seen_list_;
    std::vector<std::pair<std::uint32_t, ClauseId>> hints_; ///< with their positions on the trail
    std::vector<std::int32_t> learned_;
    std::vector<Index> of_clause_; ///< by number in the proof, where it was added for a gate
    std::vector<Index> recent_;    ///< learned since the last time that long ones were forgotten
    ClauseId refuted_ = 0;         ///< the empty clause
};

} // namespace discern::certificate
