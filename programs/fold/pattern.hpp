// What terms have in common that differ in one index: a pattern with a letter in its place, for lines that stand for
// many terms.
#pragma once

#include "terms.hpp"

#include <optional>
#include <vector>

namespace discern::programs {

/// In the arguments of a leaf of a pattern: the index that runs.
inline constexpr std::uint32_t running_index = own_index - 1;

/// What terms have in common that differ in one index.
struct Pattern {
    NodeId term = 0;
    char letter = 'k';
    std::vector<std::uint32_t> values; ///< of the index; empty: the terms are one
};

/// The pattern of some terms, or of one alone, in the graph of terms; nothing if they differ in more than one index.
std::optional<Pattern> pattern_of(Graph& graph, const std::vector<NodeId>& terms);

} // namespace discern::programs
