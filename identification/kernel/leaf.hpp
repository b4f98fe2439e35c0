// The unit of a leaf, asked through the kernel: the first products of the first chain are its own, all others are zero.
#pragma once

#include "identification/identify/identify.hpp"
#include "hypotheses.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace discern::kernels {

/// The result.
struct Leaf {
    std::optional<Unit> unit;
    std::optional<Unit> asked; ///< the same, of the shape that was asked about
    std::string name;
    identify::Conclusion conclusion = identify::Conclusion::unexplained;
    std::vector<std::string> open;
    Ground ground; ///< the weakest of why units that it may be are the same
    std::size_t observations = 0;
};

/// Why chains of that unit are the unit of the leaf, for all that can be asked through the kernel; nothing if that is
/// not known.
/// @param result  to which the kernel's sum is converted, if it is
std::optional<Ground> is_leaf(const Leaf& leaf, Unit unit, const std::optional<Conversion>& result);

/// Asks through the kernel that the ask is, whose results are sums.
Leaf find_leaf(const Shape& shape, const Candidate& candidate, const Ask& ask, const identify::Options& how);

/// The unit of a leaf, up to what the zeros around it may hide; its rule of NaN is the kernel's.
std::vector<NamedUnit> variants(const Unit& unit, const std::string& name);

/// Vectors to try hypotheses on: of all families, and signs of zeros, which those seldom show.
std::vector<Vector> first_vectors(const Shape& shape, std::uint64_t seed);

} // namespace discern::kernels
