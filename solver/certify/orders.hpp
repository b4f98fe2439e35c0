// From one order of the terms of a sum to another, by exchanging two neighbours at a time.
#pragma once

#include "models/unit.hpp"

#include <vector>

namespace discern::certificate {

/// A sequence of units between `from` and `to`: each is the one before with two neighbouring terms of one sum
/// exchanged, and the last has all terms in the order of `to`. Empty if the order is the same already, or if the sums
/// have different terms.
std::vector<Unit> exchanges(const Unit& from, const Unit& to);

/// By node of a unit's reference circuit, without the gates that d does not need: whether it is one of a sum. Others,
/// of products before it and of roundings after it, are the same in every order.
/// @param shared  whether equal gates are made once (certificate/circuit/netlist.hpp)
std::vector<bool> gates_of_sums(const Unit& unit, bool shared);

} // namespace discern::certificate
