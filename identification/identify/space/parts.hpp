// The trees of the default space are written in words. A word stands for a node, or for the alignment of a child of a
// sum, together with the parameters that vary in it.
#pragma once

#include "space.hpp"

#include <string_view>

namespace discern::identify {

/// Reads a tree: node = word [number [':' step]] ['(' child {',' child} ')'], child = node ['@'word]; the numbers
/// select products, or are the size of a group. Without c in the shape there is none in the tree.
/// @param structure  gets the tree's variables; its frame is read
/// Throws std::logic_error for a word that is not there.
ParametricNode tree_of_words(Structure& structure, const Shape& shape, Modes modes, std::string_view text);

} // namespace discern::identify
