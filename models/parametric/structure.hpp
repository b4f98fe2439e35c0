// A unit whose parameters are variables.
//
// It is the tree of models/tree.hpp again, but each field that is a parameter names a variable of the structure;
// several fields may name the same one ("every F"). A member of the space is the unit that an assignment gives; the box
// evaluator (identification/identify/box_walk.hpp) reads the same tree for all assignments at once.
#pragma once

#include "choices.hpp"

#include "models/shape.hpp"
#include "models/unit.hpp"
#include "models/unit/parameters.hpp"

#include <optional>
#include <string>
#include <vector>

namespace discern::parametric {

struct Variable {
    std::string name; ///< the key of an override where there is one
    Meaning meaning;
    std::vector<int> values; ///< the preferred ones first: they are named if nothing decides

    /// One value as an override would give it.
    std::string text(std::size_t index) const;
};

struct ParametricNode;

/// A child of a fuse.
struct ParametricEdge : ChildAttributes<SlotOf> {
    std::vector<ParametricNode> node; ///< exactly one
};

struct ParametricNode {
    enum class Kind : std::uint8_t { product, group, accumulator, fuse, round };
    using Edge = ParametricEdge;

    Kind kind = Kind::product;
    Selection which{}; ///< of products and groups
    int size = 16;     ///< of a group
    // the record of its kind
    ProductAttributes<SlotOf> product{};
    GroupAttributes<SlotOf> group{};
    AccumulatorAttributes<SlotOf> accumulator{};
    FuseAttributes<SlotOf> fuse{};
    RoundAttributes<SlotOf> round{};
    std::vector<Edge> edges{};           ///< of a fuse
    std::vector<ParametricNode> child{}; ///< of a round: exactly one
};

/// The first element of the block that is below the node; nothing: it has no products.
std::optional<int> first_element(const ParametricNode& node);

struct Structure {
    std::string name; ///< in a few words, for people
    Unit frame;       ///< formats, K, L, interleave, place; its tree and NaN rule do not count
    std::vector<Variable> variables;
    ParametricNode tree;

    /// All assignments.
    Box box(std::size_t index) const;
    Unit member(const Assignment& assignment) const;
    /// The member of the box that has the first value of each variable.
    static Assignment first_of(const Box& box);
};

/// Members of one structure: all that one of the boxes holds.
struct UnitSpace {
    Structure structure;
    std::vector<Box> boxes; ///< at least one, each of at least one member

    const Unit& frame() const { return structure.frame; }
    bool is_unit() const;
};

} // namespace discern::parametric
