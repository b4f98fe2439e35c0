// How large the numbers of a unit can become, block after block: what theorems about overflow, and about roundings that
// have nothing to round, rest on.
#pragma once

#include "ranges.hpp"

namespace discern {

class Magnitudes {
  public:
    /// Both outlive this.
    Magnitudes(const Unit& unit, const Ranges& ranges);

    /// |value of the node| ≤ 2 to this power, for all finite inputs, however terms are aligned and sums rounded.
    int bound(const Node& node) const { return of(node).value; }
    /// Whether no finite number becomes larger than the format's numbers when it is rounded there.
    bool cannot_overflow(const Round& round) const;
    /// Whether everything that is rounded there, if it does not overflow, is a number of the format already.
    /// @param place  everything is a multiple of 2 to this power
    bool is_exact(const Round& round, int place) const;

  private:
    struct Bound {
        int value, exponent; ///< of the reference exponent
    };
    Bound of(const Node& node) const;
    Bound of(const Fuse& fuse) const;

    const Unit& unit_;
    const Ranges& ranges_;
    int accumulator_; ///< of what comes into any block
};

} // namespace discern
