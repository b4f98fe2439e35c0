// Units as members of one structure.
//
// Many questions are about a list of units, and most lists are one tree in which a few parameters differ: the members
// of a space, the readings of a sentence in a manual. As one structure with variables they can be handled at once; an
// encoder makes one term of all of them.
#pragma once

#include "structure.hpp"

#include <optional>
#include <span>
#include <vector>

namespace discern::parametric {

/// A structure, and the assignments of the units that it was made of, in their order.
struct Family {
    Structure structure;
    std::vector<Assignment> members;
};

/// Whether the units have one frame (formats, K, L, interleave, place of c, scales, NaN rule) and trees of one form
/// (kinds of nodes, selections, sizes of groups), so that only parameters of nodes can differ.
bool same_skeleton(const Unit& x, const Unit& y);

/// The unit as a structure in which each variable has one value. Its only member is the unit, except that parameters
/// without a meaning (clear_unused; the sign of a flush that there is not) have their defaults.
Structure structure_of(const Unit& unit);

/// The assignment of a structure that gives the unit, NaN rules aside; nothing if none does. Nodes are compared in
/// their order.
std::optional<Assignment> assignment_of(const Structure& structure, const Unit& unit);

/// The units as members of one structure; nothing if there are none, if they have not one skeleton, or if a parameter
/// has more values than a ValueSet can hold. Fields of one parameter that have equal values in each unit share a
/// variable; the preferred value comes first in it, the others in the order of the units.
std::optional<Family> family_of(std::span<const Unit> units);

} // namespace discern::parametric
