// The elements that claims have to consider, and the accumulator that goes from one block to the next.
#pragma once

#include "claims.hpp"

#include <cstddef>
#include <vector>

namespace discern::property {

/// The number of the scales of an element; 0 if there are none.
inline std::size_t scale_of(const Unit& unit, std::size_t k) {
    return unit.scale ? k / static_cast<std::size_t>(unit.scale->block) : 0;
}

/// The l-th element of a block.
inline std::size_t element(const Unit& unit, int block, int l) {
    return static_cast<std::size_t>(unit.element(block, l));
}

/// Whether the tree does with the one element of a block what it does with the other. To exchange them then only
/// exchanges operands of sums, which have no order but for the bits of a NaN.
bool are_alike(const Unit& unit, int l, int m);

/// Representatives of the elements: neighbours in a block that could be exchanged without any effect have one.
std::vector<std::size_t> different_elements(const Unit& unit, Scope scope);

/// c of a later block, where it has the same effect as c of an earlier one: a zero of any sign, if its sign has no
/// effect.
Term equivalent_accumulator(Terms& t, const Unit& unit, Term c, Statement& statement);

} // namespace discern::property
