// A unit prepared for the integer evaluator: the expanded tree as a flat array, formats looked up, and the proof of
// which integers are wide enough.
#pragma once

#include "unit.hpp"

#include <vector>

namespace discern::integer {

enum class NodeKind : std::uint8_t { product, group, accumulator, fuse, round };

struct PlanChild {
    std::size_t node;
    bool exact;
    int F;
    Rounding rounding;
    ZeroExponent zero;
    bool has_drop;
    int drop;
};

struct PlanNode {
    NodeKind kind;
    int index = 0; ///< product, group: which one of the block
    Product product;
    Group group;
    Accumulator accumulator;
    Fuse fuse;                       ///< without children
    Round round;                     ///< without child
    std::vector<PlanChild> children; ///< of fuse; round: the one child's node
    const Format* format = nullptr;  ///< of round; of accumulator: the format it is converted to
    int max_F = 0;                   ///< fuse without exact children: fraction bits of the register of the sum
    bool exact = false;              ///< fuse: some child is exact
};

/// Integers that provably hold every intermediate result.
enum class Width : std::uint8_t {
    i64,
    i128,
    dynamic, ///< there are exact sums: 128 bits where the terms of a vector are near enough, else wide::Big
    big,     ///< wide::Big
};

struct Plan {
    explicit Plan(const Unit& unit); ///< validates

    Unit unit;
    const Format *a, *b, *c, *d; ///< c: nullptr without accumulator input
    const Format* scale;         ///< nullptr without scales
    std::vector<PlanNode> nodes; ///< children before parents; the root is last
    Width width;
};

} // namespace discern::integer
