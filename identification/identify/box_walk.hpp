// The results of all members of a box for one vector.
#pragma once

#include "models/parametric/structure.hpp"

#include "models/evaluate.hpp"
#include "models/vectors.hpp"

#include <optional>
#include <vector>

namespace discern::identify {

using namespace parametric;

/// The members of a box that give the same d.
struct Leaf {
    std::uint64_t d; ///< every NaN as the canonical one: the rule of NaN is identified separately
    Box box;
};

/// Evaluates the members together: exact, every member is in exactly one leaf, leaves of the same d are joined where
/// they make a box.
/// @param most  paths; nothing is returned if there are more
std::optional<std::vector<Leaf>> evaluate(const Structure& structure, const Box& box, const Inputs& inputs,
                                          std::size_t most);

/// d with every NaN replaced by the canonical one.
std::uint64_t without_nan_bits(FormatId d, std::uint64_t bits);

/// Whether the unit gives the observed result.
/// @param seen  with d as without_nan_bits() has it
bool gives(const Unit& unit, const std::vector<Vector>& seen);

} // namespace discern::identify
