// Of every node of a circuit, the literal that stands for it: another node's, once the two were proved equal.
#pragma once

#include "log.hpp"

#include "certificate/miter.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace discern::certificate {

class Representatives {
  public:
    /// A clause over representatives.
    struct Clause {
        std::vector<std::int32_t> literals;
        bool holds = false;          ///< in any case: it has a literal and its negation, or one that is constant
        std::vector<ClauseId> hints; ///< why the literals stand for those of another clause; none if they are the same
    };

    /// Each node stands for itself.
    void grow(std::size_t nodes);

    /// By node.
    const std::vector<Literal>& all() const { return representative_; }
    Literal of(Literal x) const { return invert_if(is_inverted(x), representative_[node_of(x)]); }
    /// The gate over the representatives of its inputs.
    Netlist::Node of(Netlist::Node gate) const;
    /// The clause of literals of the formula with each replaced by its representative.
    Clause of(std::span<const std::int32_t> literals) const;

    /// The node stands no longer for itself.
    /// @param up, down  the clauses that from the node follows y, and from its opposite y's; of a constant y only the
    ///                  one that is a unit clause
    void replace(std::size_t node, Literal y, ClauseId up, ClauseId down);
    /// The clause that from a node (or its opposite) its representative's follows.
    ClauseId implied(std::size_t node, bool positive) const { return equal_[node][positive ? 0 : 1]; }

  private:
    std::vector<Literal> representative_;
    std::vector<std::array<ClauseId, 2>> equal_;
};

} // namespace discern::certificate
