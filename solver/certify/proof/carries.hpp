// Pairs of carries of the same weight. Two orders of addition, (x + a) + b and (x + b) + a, have different inner sums
// and different carries; but for each bit, the number of carries that are set is the same in both. Therefore x ∨ y and
// x ∧ y of each pair x, y become gates, and the equality of the two orders is proved bit by bit, from the lowest.
#pragma once

#include "certificate/circuit/netlist.hpp"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace discern::certificate {

class Carries {
  public:
    /// @param representative  of every node, the literal that stands for it
    Carries(const std::vector<Netlist::Node>& nodes, const std::vector<Literal>& representative)
        : nodes_(nodes), representative_(representative) {}

    /// Takes a gate, which may be a sum or a carry, when its representative is known.
    /// @return pairs of carries of the same weight, of which the gate is one
    std::vector<std::pair<Literal, Literal>> enter(std::size_t gate);

  private:
    using Summands = std::array<std::uint32_t, 3>; ///< nodes, sorted; the first is 0 if there are two
    struct Hash {
        std::size_t operator()(const Summands& x) const {
            return (x[0] * 0x9e3779b97f4a7c15ull) ^ (x[1] * 0xbf58476d1ce4e5b9ull) ^ (x[2] * 0x94d049bb133111ebull);
        }
    };
    std::uint32_t input(std::size_t gate, std::size_t k) const {
        return node_of(representative_[node_of(nodes_[gate].in[k])]);
    }
    void enter_sum(std::size_t gate);

    const std::vector<Netlist::Node>& nodes_;
    const std::vector<Literal>& representative_;
    std::unordered_map<Summands, Literal, Hash> carry_of_;
    std::unordered_map<Summands, std::uint32_t, Hash> sum_of_;
    std::unordered_map<std::uint32_t, std::vector<Summands>> summands_; ///< of what a node is the sum
    std::unordered_map<std::uint32_t, std::vector<Literal>> carries_;   ///< of additions to a node
};

} // namespace discern::certificate
