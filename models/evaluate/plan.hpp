// A unit prepared for the integer evaluator: the expanded tree as a flat array, formats looked up, and the proof of
// which integers are wide enough.
#pragma once

#include "block.hpp"

#include "models/parametric/structure.hpp"

#include <vector>

namespace discern::integer {

/// A child of a sum, and how it is aligned.
struct PlanEdge : ChildAttributes<parametric::NumberOf> {
    std::size_t node = 0;
    std::size_t element = 0; ///< of a scaled child: one of the block that has its scales
};

/// The walk over the tree (machine.hpp) reads either this or a ParametricNode.
struct PlanNode {
    using Kind = parametric::ParametricNode::Kind;

    Kind kind{};
    int index = 0; ///< of a leaf: which one of the block
    int size = 0;  ///< of a group
    // the record of its kind
    ProductAttributes<parametric::NumberOf> product{};
    GroupAttributes<parametric::NumberOf> group{};
    AccumulatorAttributes<parametric::NumberOf> accumulator{};
    FuseAttributes<parametric::NumberOf> fuse{};
    Round round{}; ///< without child
    // of a fuse
    std::vector<PlanEdge> edges{};
    int max_F = 0;      ///< fraction bits of the register of the sum, if no child is exact
    bool exact = false; ///< some child is
    /// A sum of raw products, and perhaps c, all with the same F and rounding (T-FDPA, and the first sum of TR- and
    /// GTR-FDPA): the elements, and whether c is a term. Empty for a fuse of another shape.
    std::vector<std::size_t> plain_products{};
    bool plain_with_c = false;
    // of a round
    std::size_t child = 0;
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
