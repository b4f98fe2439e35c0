// Random pairs: a unit of the catalogue and the same unit with one or two parameters changed, of which
// `prove` finds by folding alone that they are the same.
#pragma once

#include "models/random.hpp"
#include "models/unit.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace discern::bench {

struct DrawnPair {
    std::string change; ///< "zero=-126", "drop=50 round=rz", "order"
    std::string name;   ///< of the catalogue
    std::string first, second;
};

/// Distinct pairs of lines of the notation, a function of the seed. The changes are overrides, their values those that
/// overrides document, numbers near the present one or near what formats have; and another order of the terms.
/// @param most_K  a unit with more products gets so many, or one block if that is longer
std::vector<DrawnPair> drawn_pairs(std::size_t count, std::uint64_t seed, int most_K);

/// One or two changes of a unit, of those of drawn_pairs(). @return what they are; empty: these have no meaning for the
/// unit, or change nothing. @throws Error if what they make is no unit
std::string change(Random& random, Unit& unit);

} // namespace discern::bench
