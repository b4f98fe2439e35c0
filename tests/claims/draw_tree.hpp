// The shape of a unit's tree at random: sums, sums of sums, with roundings in between, one term after the other.
#pragma once

#include "draw.hpp"

namespace discern::claims {

/// A tree for a unit whose other parts are there. @param group  elements of each of its groups; 0: it has products
Node draw_tree(Random& random, const Unit& unit, int group, const Size& size);

} // namespace discern::claims
