// The rules of at_rest.hpp about what alignment reads: floors, the exponents of zeros, cuts, drops, normalisation and
// registers. They are theorems about when another reference exponent E would give the same sum.
#pragma once

#include "ranges.hpp"

#include "models/unit.hpp"

namespace discern {

/// Each rule changes the unit in place and leaves its results as they are.
class RestExponents {
  public:
    /// Both outlive this.
    RestExponents(Unit& unit, const Ranges& ranges) : unit_(unit), ranges_(ranges), p_(ranges.last_place_of_all()) {}

    void registers(Fuse& fuse) const;
    void zeros_as_floor(Fuse& fuse) const;
    void always_there(Fuse& fuse) const;
    void never_cut() const { never_cut(unit_.tree); }
    void alignment() const;
    void two_terms() const;
    void flatten_sums() const;
    void too_small_to_show(Node& node, bool hidden) const;

  private:
    void never_dropped(Fuse& fuse) const;
    void never_cut(Node& node) const;
    void zeros_beside_exact_terms(Round& round) const;
    void alignment(Round& round) const;

    Unit& unit_;
    const Ranges& ranges_;
    const int p_; ///< the place that every number in the unit is a multiple of
};

} // namespace discern
