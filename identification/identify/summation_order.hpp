// In which order a target adds, as a tree: for reports on targets that no structure explains.
//
// Two terms are 2^M and −2^M, all others so small that they are lost beside them. What is left at the end are those
// that join after the two have met; so the result counts the leaves below the node where they meet, and the counts of
// all pairs are the tree (Xie et al., "Revealing Floating-Point Accumulation Orders in Software/Hardware
// Implementations"). The only assumption about the target is that terms so much smaller are lost. If the counts are
// those of no tree, there is no result.
#pragma once

#include "identify.hpp"

#include <optional>
#include <string>

namespace discern::identify {

/// The tree as "((p0 p1) (p2 p3) c)": brackets around what meets in one sum. Asks (K + 1)·K/2 vectors at most.
/// @return nothing for shapes with scales or one term, and where the counts make no tree
std::optional<std::string> summation_order(const Shape& shape, const Ask& ask);

} // namespace discern::identify
