// What both halves of at_rest.hpp's rules use: the nodes of a tree in turn, and what kind a rounding is.
#pragma once

#include "models/unit.hpp"

namespace discern {

/// Visits a node, and then what is below it as the visitor left it.
template <typename Visit>
void for_each_node(Node& node, Visit visit) {
    visit(node);
    if (auto* round = std::get_if<Round>(&node.kind)) for_each_node(round->get(), visit);
    if (auto* fuse = std::get_if<Fuse>(&node.kind))
        for (Child& child : fuse->children) for_each_node(child.get(), visit);
}

inline bool is_nearest(Rounding mode) { return mode == Rounding::rne || mode == Rounding::rna; }

} // namespace discern
