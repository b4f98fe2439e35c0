// The order in which a graph is computed: chains of a unit as one product, and in levels what does not depend on each
// other.
#pragma once

#include "programs/graph/graph.hpp"

#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace discern::programs {

/// A chain of instructions of one unit of which only the end is used elsewhere.
struct ChainNode {
    NodeId end = 0, base = 0;
    std::uint32_t a = 0, b = 0;   ///< the numbers of its operands in Group::rows_a and rows_b
    std::uint32_t sa = 0, sb = 0; ///< of its scales, if it has some
};

/// What is computed at once.
struct Group {
    OpId op = 0;
    std::vector<NodeId> nodes;     ///< of functions and bytes
    std::vector<ChainNode> chains; ///< of units
    /// Operands of chains, each once: nodes in the order of k.
    std::vector<std::vector<NodeId>> rows_a{}, rows_b{}, rows_sa{}, rows_sb{};
    bool is_product = false; ///< chains are all pairs of rows, b within a
};

struct Order {
    std::vector<NodeId> leaves, constants;
    std::vector<Group> groups;
};

Order order_of(const Graph& graph, std::span<const NodeId> roots);

} // namespace discern::programs
