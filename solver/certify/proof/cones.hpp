// The cone of two gates: the gates on which they depend, with every gate replaced by its representative. A question
// about the two is asked over their cone.
#pragma once

#include "certificate/circuit/netlist.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace discern::certificate {

class Cones {
  public:
    /// @param nodes           gates may be appended later; grow() then
    /// @param representative  of every node, the literal that stands for it
    Cones(const std::vector<Netlist::Node>& nodes, const std::vector<Literal>& representative)
        : nodes_(nodes), representative_(representative) {
        grow();
    }

    void grow() {
        rank_.resize(nodes_.size());
        visited_.resize(nodes_.size());
    }
    /// The node becomes a representative; it comes after all that entered before.
    void enter(std::size_t node) {
        rank_[node] = static_cast<std::uint32_t>(of_rank_.size());
        of_rank_.push_back(static_cast<std::uint32_t>(node));
    }
    /// The node can also be made as that gate is, which is equal to it.
    void add_way(std::uint32_t node, std::size_t gate) { ways_[node].push_back(static_cast<std::uint32_t>(gate)); }

    /// A gate, another node, and the nodes over which they are gates.
    std::vector<std::uint32_t> inputs(std::size_t gate, std::size_t other) const;
    /// The nodes on which two depend: the last ones, at most so many. The first needs not have entered.
    std::vector<std::uint32_t> all(std::size_t gate, std::size_t other, std::size_t most);
    /// The nodes that two are made of, three deep, in whatever ways they can be made.
    std::vector<std::uint32_t> by_any_way(std::size_t gate, std::size_t other);

  private:
    template <typename Visit>
    void visit_inputs(std::size_t node, Visit visit) const {
        for (std::size_t k = 0; k < inputs_of(nodes_[node].gate); ++k)
            visit(node_of(representative_[node_of(nodes_[node].in[k])]));
    }
    /// Whether this visit is the first to the node; the constant is never visited.
    bool is_first(std::size_t node) {
        if (node == 0 || visited_[node] == visit_) return false;
        visited_[node] = visit_;
        return true;
    }

    const std::vector<Netlist::Node>& nodes_;
    const std::vector<Literal>& representative_;
    std::vector<std::uint32_t> rank_, of_rank_; ///< the order in which nodes entered: inputs before gates
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> ways_;
    std::vector<std::uint32_t> visited_; ///< by node: the last visit
    std::uint32_t visit_ = 0;
};

} // namespace discern::certificate
