// Which parameters have met in the units that were drawn: a mistake often needs two of them together.
#pragma once

#include "models/unit.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace discern::claims {

class ParameterPairs {
  public:
    ParameterPairs();

    /// Counts all pairs of parameters that the unit has, other than as usual.
    void add(const Unit& unit);
    /// "pairs of parameters: 812 of 830 drawn", and which were not if they are few.
    std::string report() const;

  private:
    std::vector<std::string> names_; ///< "fuse sticky"; and of what belongs to the whole unit "scale"
    std::set<std::pair<std::size_t, std::size_t>> seen_;
};

} // namespace discern::claims
