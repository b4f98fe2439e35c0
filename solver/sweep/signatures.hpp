// The values of gates on vectors, 64 in a machine word, and which gates agree on all of them: those that a sweep tries
// to prove equal. Every sweep over gates has its candidates from here.
#pragma once

#include "certificate/circuit/netlist.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace discern::certificate {

/// In the place of vectors that are not allowed, one of those that are.
/// @param allowed  not 0; bit v: whether vector v is
/// @param words    one for each input
void keep_only(std::uint64_t allowed, std::span<std::uint64_t> words);

class Signatures {
  public:
    /// @param nodes  of a netlist with its inputs first, to which gates may be appended later
    explicit Signatures(const std::vector<Netlist::Node>& nodes, std::size_t inputs) : nodes_(nodes), inputs_(inputs) {}

    /// Simulates 64 vectors more. @param inputs  a word for each
    void add_vectors(std::span<const std::uint64_t> inputs);
    /// Whether there is no vector yet.
    bool empty() const { return values_.empty(); }
    /// Simulates the gates that were appended.
    void add_gates();

    /// The values on the last 64 vectors.
    std::span<const std::uint64_t> last() const { return values_.back(); }
    /// Whether two nodes that agree do so as negations of each other.
    bool inverted(std::size_t one, std::size_t other) const { return phases_[one] != phases_[other]; }

    std::size_t inputs() const { return inputs_; }

    /// No node may be found, until it enters again.
    void forget_entered() { classes_.clear(); }
    /// From now on the node may be found.
    void enter(std::uint32_t node) { classes_[signatures_[node]].push_back(node); }
    enum class Which : std::uint8_t { first, last };
    /// The first that entered of the nodes that may be found and agree with this one, except some, or the last.
    std::optional<std::uint32_t> like(std::size_t node, std::span<const std::uint32_t> except,
                                      Which which = Which::first) const;

  private:
    void mix(std::size_t node, std::uint64_t value);
    /// All nodes by the values on all vectors.
    void classify();
    /// Whether two nodes of one class agree on the vectors that came since, too.
    bool agree_since(std::size_t one, std::size_t other) const;

    const std::vector<Netlist::Node>& nodes_;
    std::size_t inputs_;
    std::vector<std::vector<std::uint64_t>> values_; ///< of each 64 vectors, by node
    std::size_t classified_ = 0;                     ///< so many times 64 vectors are in the signatures
    std::vector<std::uint64_t> signatures_; ///< of the values, or of their negations if that of the first vector is 1
    std::vector<bool> phases_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> classes_;
};

} // namespace discern::certificate
