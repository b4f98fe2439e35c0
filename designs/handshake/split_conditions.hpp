// Where the latency of a design depends on operands: the conditions by which they are split until it is known.
#pragma once

#include "forgetting.hpp"

#include "encodings/encode.hpp"
#include "solver/backend/limit.hpp"

#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace discern::rtl {

class SplitConditions {
  public:
    /// @param t  and the limit must outlive the object
    SplitConditions(Terms& t, const Limit& limit) : t_(t), limit_(limit) {}

    /// Variables of an operation, on which conditions may be. @param allowed  what holds of them: of operands that were
    /// taken, that they are within the question's limits
    void note_operands(const InputTerms& inputs, Term allowed) {
        for (const Term x : inputs.all()) of_operands_.emplace(x.id, allowed);
    }

    /// A bit on which a port depends, and which depends on operands alone; if there is a choice by one, that one.
    std::optional<Term> in(Term port) const;
    /// A condition on operands on which it depends whether a register holds something of an operation on its way, or
    /// something else, which would be forgotten together with it.
    std::optional<Term> of_registers(std::span<const Term> registers, const Renaming& stays,
                                     const std::unordered_set<std::uint32_t>& undefined) const;
    /// Whether all of them can hold at once, of operands that are allowed; in doubt they can.
    bool are_possible(const std::vector<Term>& conditions);

  private:
    Terms& t_;
    const Limit& limit_;
    std::unordered_map<std::uint32_t, Term> of_operands_; ///< by variable: what holds of its operation
    std::unordered_map<std::uint32_t, bool> possible_;    ///< conditions that a solver was asked about
};

} // namespace discern::rtl
