// The steps of a proof as they are found, each with its hints. Steps on which the last one does not depend are left out
// when the proof is written.
#pragma once

#include "certificate/miter.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace discern::certificate {

/// The number of a clause: those of the formula are 1 … n.
using ClauseId = std::uint32_t;

/// How many clauses say what a gate of that kind is.
ClauseId number_of_clauses(Gate gate);

class ProofLog {
  public:
    explicit ProofLog(const Formula& formula)
        : variables_(formula.variables), first_(static_cast<ClauseId>(formula.size() + 1)), next_(first_) {}

    /// A clause that follows by unit propagation over the hints, in their order. Under an
    /// assumption the clause gets the negated assumption as a further literal, if the derivation used it.
    ClauseId add(std::span<const std::int32_t> clause, std::span<const ClauseId> hints);

    /// From now on a literal is assumed. @return a number that stands for the clause that it is true
    ClauseId assume(std::int32_t literal);
    /// Ends the assumption; clauses that were derived under it have its negation as a literal.
    void drop_assumption() {
        assumed_ = 0;
        conditional_.assign(conditional_.size(), false);
    }
    /// Whether a clause depends on the assumption; it then contains its negation.
    bool is_conditional(ClauseId id) const { return id >= first_ && conditional_[id - first_]; }

    /// The next variable, one more than the last, is a gate of those before it.
    /// @return the number of the first of its clauses, which are those of add_gate_clauses
    ClauseId define(Gate gate, std::span<const std::int32_t> in);

    std::size_t size() const { return steps_.size(); }

    /// The proof (certificate/proof.hpp) whose last step is that one, which is the empty clause.
    std::string text(ClauseId last) const;

  private:
    struct Step {
        std::size_t begin;       ///< in values_
        ClauseId id;             ///< its own number, or that of the gate's first clause
        std::uint32_t literals;  ///< of the clause, or the gate's inputs
        Gate gate = Gate::input; ///< input: a clause
    };
    std::span<const std::int32_t> literals(std::size_t step) const {
        return {values_.data() + steps_[step].begin, steps_[step].literals};
    }
    std::span<const std::int32_t> hints(std::size_t step) const {
        const std::size_t begin = steps_[step].begin + steps_[step].literals;
        return {values_.data() + begin, (step + 1 < steps_.size() ? steps_[step + 1].begin : values_.size()) - begin};
    }

    std::size_t variables_; ///< of the formula
    ClauseId first_, next_;
    std::int32_t assumed_ = 0;
    std::vector<bool> conditional_, ///< by number, from the first
        implied_;                   ///< … clauses that hold by the assumption itself: no step, and no hint
    std::vector<Step> steps_;
    std::vector<std::int32_t> values_; ///< of each step its literals, then its hints
};

} // namespace discern::certificate
