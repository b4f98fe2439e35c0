// Units whose scales multiply what is rounded instead of products.
#pragma once

#include "models/error.hpp"
#include "models/unit.hpp"
#include "models/unit/tree_shape.hpp"

#include <utility>

namespace discern::tests {

/// Scales multiply what is rounded instead of products, if the unit is one of which that can be said: what the last sum
/// adds is rounded as d is, in the mode in which it is aligned.
/// @param outer  both scales, or the one that comes last, after another rounding
inline void scale_sums(Unit& unit, Scaled outer) {
    Unit scaled = unit;
    auto* sum = std::get_if<Fuse>(&std::get<Round>(scaled.tree.kind).get().kind);
    if (sum == nullptr) return;
    const auto rounded = [&scaled](const Child& child, Scaled by) {
        Child part;
        part.node = {child.get()};
        part.scaled = by;
        Fuse parts;
        parts.children.push_back(std::move(part));
        Round round;
        round.format = scaled.d;
        round.mode = child.rounding;
        round.child = {Node{std::move(parts)}};
        return Node{std::move(round)};
    };
    for (Child& child : sum->children) {
        if (has_accumulator(child.get())) continue;
        if (!is_round(child.get())) child.node = {rounded(child, Scaled::no)};
        if (outer != Scaled::both) child.node = {rounded(child, outer == Scaled::a ? Scaled::b : Scaled::a)};
        child.scaled = outer;
    }
    for (const int block : {scaled.scale->block, scaled.K}) {
        scaled.scale->block = block;
        try {
            validate(scaled);
        } catch (const Error&) {
            continue;
        }
        unit = std::move(scaled);
        return;
    }
}

} // namespace discern::tests
