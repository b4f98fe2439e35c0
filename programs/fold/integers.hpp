// Sums of products of integers have no order: instructions of other shapes, and of k in another order, are one term.
#pragma once

#include "programs/functions/integer_unit.hpp"
#include "terms.hpp"

#include <unordered_map>

namespace discern::programs {

class IntegerSums {
  public:
    explicit IntegerSums(Terms& terms) : graph_(terms.graph) {}

    /// The term of an instruction, whose rows and accumulator are terms. One that clamps (.satfinite) is one that does
    /// not where no sum can leave the 32 bits; that is steps of 128 bits of each operand, in an order of its own.
    NodeId term(IntegerUnit unit, std::string_view name, NodeId a, NodeId b, NodeId c);

  private:
    /// The largest magnitude that a term can have.
    std::int64_t bound(NodeId id) const;
    NodeId added(OpId op, NodeId a, NodeId b, NodeId c);

    Graph& graph_;
    std::unordered_map<NodeId, std::int64_t> bounds_; ///< of sums that were made here
};

} // namespace discern::programs
