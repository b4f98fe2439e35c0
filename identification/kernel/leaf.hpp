// The unit of a leaf, asked through the kernel: the first products of the first chain are its own, all others are zero.
#pragma once

#include "hypotheses.hpp"
#include "identification/identify/identify.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace discern::kernels {

/// The unit whose chains a kernel sums, as far as its answers tell.
struct Leaf {
    std::optional<Unit> unit;
    std::optional<Unit> asked; ///< the same, of the shape that was asked about
    std::string name;
    identify::Conclusion conclusion = identify::Conclusion::unexplained;
    std::vector<std::string> open;
    Ground ground; ///< the weakest of why units that it may be are the same
    std::size_t observations = 0;
};

/// What proves that the unit, chained, computes what the leaf's unit does, on all inputs that the kernel can be given;
/// nothing if that is not proved.
/// @param result  the format to which the kernel converts its sum, if it does
std::optional<Ground> is_leaf(const Leaf& leaf, Unit unit, const std::optional<Conversion>& result);

/// Identifies the unit by results of the kernel, which are sums of its chains. @param ask  runs the kernel
Leaf find_leaf(const Shape& shape, const Candidate& candidate, const Ask& ask, const identify::Options& how);

/// The unit of a leaf, up to what the zeros around it may hide; its rule of NaN is the kernel's.
std::vector<NamedUnit> variants(const Unit& unit, const std::string& name);

/// Vectors to try hypotheses on: of all families, and signs of zeros, which those seldom show.
std::vector<Vector> first_vectors(const Shape& shape, std::uint64_t seed);

} // namespace discern::kernels
