// The rules of at_rest.hpp about results: what overflows, what is subnormal or rounded to zero, which zero it is, and
// limits of products. They are theorems about how large and how small the numbers of a unit can be.
#pragma once

#include "magnitudes.hpp"
#include "ranges.hpp"

#include "models/unit.hpp"

namespace discern {

/// Each rule changes the unit in place and leaves its results as they are.
class RestResults {
  public:
    /// Both outlive this.
    RestResults(Unit& unit, const Ranges& ranges);

    void flush_c_or_results() const;
    void small_results(Round& round) const;
    void overflows(Round& round) const;
    void limits(Product& product) const;
    void small_c_is_cut() const;
    void begins_with_plus_zero() const;
    void signs() const;
    const Magnitudes& magnitudes() const { return magnitudes_; }

  private:
    int place_of_sum(const Node& node) const;

    Unit& unit_;
    const Ranges& ranges_;
    const Magnitudes magnitudes_;
    const int p_;        ///< the place that every number in the unit is a multiple of
    const bool bounded_; ///< no result overflows
};

} // namespace discern
