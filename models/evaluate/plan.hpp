// A unit prepared for the integer evaluator: the expanded tree as a flat array, formats looked up, and the proof of
// which integers are wide enough.
#pragma once

#include "block.hpp"

#include "models/parametric/structure.hpp"

#include <vector>

namespace discern::integer {

/// How a child of a sum is aligned. Numbers mean what the values of a variable of that
/// name mean (parametric/structure.hpp).
struct PlanEdge {
    std::size_t node;
    int F;
    Rounding mode;
    int zero, drop;
};

/// Its parameters have the names of those of a ParametricNode: the walk over the tree (machine.hpp) reads both.
struct PlanNode {
    using Kind = parametric::ParametricNode::Kind;

    Kind kind;
    // product, group, accumulator
    int index = 0; ///< which one of the block
    int size = 0;
    Normalisation normalisation = Normalisation::raw;
    int limit = parametric::none, yields = 1, flush = 0, as = parametric::none, empty = parametric::own, infnan = 0,
        nanzero = 0, infzero = 0;
    // fuse
    std::vector<PlanEdge> edges{};
    int floor = parametric::none, carry = parametric::none, sticky = 0, plus = 0, frame = 0, opposed = 0,
        step = parametric::none, phase = 0;
    int max_F = 0;      ///< fraction bits of the register of the sum, if no child is exact
    bool exact = false; ///< some child is
    /// A truncated sum of products as they are multiplied, and perhaps c, all aligned alike (T-FDPA and the first sum
    /// of TR- and GTR-FDPA): the elements, and whether c is a term. Empty: another shape.
    std::vector<std::size_t> plain_products{};
    bool plain_with_c = false;
    // round
    std::size_t child = 0;
    Round round{}; ///< without child
    const Format* format = nullptr;
};

/// The narrowest integers that provably hold every term and every aligned sum. Exact sums are checked vector by vector,
/// and go to the next wider ones if they do not fit.
enum class Width : std::uint8_t {
    i64, ///< and there are no exact sums
    i128,
    medium, ///< wide::Medium
    big,    ///< wide::Big
};

struct Plan : Frame {
    explicit Plan(const Unit& unit); ///< validates

    Unit unit;
    std::vector<PlanNode> nodes; ///< children before parents; the root is last
    Width width;
};

} // namespace discern::integer
