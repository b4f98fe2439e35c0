// Matrix instructions on numbers: where all data of a launch are known, a product is computed instead of kept as nodes.
#pragma once

#include "models/gemm.hpp"
#include "programs/graph/graph.hpp"

#include <memory>
#include <span>
#include <string>
#include <unordered_map>

namespace discern::programs {

class UnitNumbers {
  public:
    /// Nodes, which must be constants. B lies as rows of k; scales are empty if there are none.
    struct Operands {
        std::span<const NodeId> a, b, c, sa, sb;
    };
    /// The results row by row. @param op  a unit, by the catalogue's name @param size  bytes of a result
    /// @throws Error if an operand is no number
    void multiply(Graph& graph, OpId op, const Operands& operands, unsigned size, std::span<NodeId> d);

  private:
    std::unordered_map<std::string, std::unique_ptr<const Gemm>> units_; ///< by name
};

} // namespace discern::programs
