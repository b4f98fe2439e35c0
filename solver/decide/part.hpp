// Smaller questions whose answers settle a larger one.
//
// All blocks of a unit are one tree: if one block of two units gives the same for every accumulator, so do chains of
// them. And if the trees differ only below one rounding, it is enough that its results are the same. A proof about such
// a part is one about the units; a vector for the part is tried on the units, where it need not be a witness, since the
// rest of the computation can hide the difference.
#pragma once

#include "models/parametric/structure.hpp"
#include "models/unit.hpp"
#include "models/vectors.hpp"

#include <functional>
#include <optional>

namespace discern {

/// What two units of one shape are reduced to.
struct Part {
    Unit first, second;   ///< one block: K = L, not interleaved
    bool smaller = false; ///< than the units
};

/// The smallest part that contains all differences between the two. Nothing where the unit is more than its blocks one
/// by one: NaN that are propagated (x86), an accumulator that has c's format at first and then d's, scales that blocks
/// share in another way than parts do.
std::optional<Part> smallest_part(const Unit& first, const Unit& second);

/// One block of the unit, of which the tree is only that: the whole one, or one that a rounding inside gives. Nothing
/// if it does not have all elements of a block, or where smallest_part() gives nothing.
std::optional<Unit> part_of(const Unit& unit, const Node& tree);

/// One block of each of two spaces, with any accumulator, if it is smaller and if equal blocks make equal units.
std::optional<std::pair<parametric::UnitSpace, parametric::UnitSpace>> one_block(const parametric::UnitSpace& first,
                                                                                 const parametric::UnitSpace& second);

/// Visits vectors of the unit that show the part what `vector` does, in each block, all else being zero, until the
/// visitor returns false.
/// @param part  of the unit
void visit_in_unit(const Unit& unit, const Unit& part, const Vector& vector,
                   const std::function<bool(const Vector&)>& visit);

} // namespace discern
