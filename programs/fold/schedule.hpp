// The schedule of a term, where the notation of kernels has one: UNIT@[K=128 split=4 reduce=order:f32:rne].
//
// A schedule is proposed from the chains of a unit that the term adds up, and accepted if the terms of that schedule,
// made from its own outline, are this term.
#pragma once

#include "models/kernel.hpp"
#include "terms.hpp"

#include <optional>
#include <string>

namespace discern::programs {

/// The operands that a schedule multiplies: leaves with the letter k, and what chains begin with.
struct ScheduledOperands {
    OpId a = 0, b = 0; ///< of leaves
    NodeId c = 0;      ///< +0, or a leaf
    bool operator==(const ScheduledOperands&) const = default;
};

/// One chain of a unit, from +0 or from a leaf.
struct Chain {
    OpId unit = 0;
    OpId a = 0, b = 0;  ///< leaves
    std::vector<int> k; ///< in order
    NodeId base = 0;
};

struct ScheduledTerm {
    Kernel kernel;
    std::string text; ///< UNIT@[…], by the unit's name
    ScheduledOperands operands;
};

/// Nothing if the notation cannot say it.
std::optional<ScheduledTerm> schedule_of(Terms& terms, NodeId term);

/// The term of a kernel. @param unit  the operation of its instructions
NodeId term_of(Terms& terms, const Kernel& kernel, OpId unit, const ScheduledOperands& operands);

} // namespace discern::programs
