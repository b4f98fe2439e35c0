// The values of gates on vectors, and which gates agree on all of them.
#pragma once

#include "certificate/netlist.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace discern::certificate {

class Signatures {
  public:
    /// @param nodes  of a netlist, to which gates may be appended later
    explicit Signatures(const std::vector<Netlist::Node>& nodes, std::size_t inputs) : nodes_(nodes), inputs_(inputs) {}

    /// Simulates 64 vectors more. @param inputs  a word for each
    void add_vectors(std::span<const std::uint64_t> inputs);
    /// Simulates the gates that were appended.
    void add_gates();

    /// The values on the last 64 vectors.
    std::span<const std::uint64_t> last() const { return values_.back(); }
    /// Whether two nodes that agree do so as opposites.
    bool opposed(std::size_t one, std::size_t other) const { return phases_[one] != phases_[other]; }

    /// From now on the node may be found.
    void enter(std::uint32_t node) { classes_[signatures_[node]].push_back(node); }
    /// The nodes that may be found and agree with it, those that entered earlier first; nullptr: none.
    const std::vector<std::uint32_t>* like(std::size_t node) const {
        const auto found = classes_.find(signatures_[node]);
        return found == classes_.end() ? nullptr : &found->second;
    }

  private:
    void mix(std::size_t node, std::uint64_t value);

    const std::vector<Netlist::Node>& nodes_;
    std::size_t inputs_;
    std::vector<std::vector<std::uint64_t>> values_; ///< of each 64 vectors, by node
    std::vector<std::uint64_t> signatures_; ///< of the values, or of their opposites if that of the first vector is 1
    std::vector<bool> phases_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> classes_;
};

} // namespace discern::certificate
