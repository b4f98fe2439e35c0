// A unit with variables in the place of parameters.
//
// It is the tree of models/tree.hpp again, but each field that is a parameter names a variable of the structure;
// several fields may name the same one ("every F"). A member of the space is the unit that an assignment gives; the box
// evaluator (identify/box_walk.hpp) reads the same tree for all assignments at once.
#pragma once

#include "choices.hpp"

#include "models/shape.hpp"
#include "models/unit.hpp"
#include "models/unit/parameters.hpp"

#include <string>
#include <vector>

namespace discern::parametric {

/// The slot of a parameter that has its default: of one that no structure of this kind varies.
inline constexpr Slot no_slot = static_cast<Slot>(-1);

struct Variable {
    std::string name; ///< the key of an override where there is one
    Meaning meaning;
    std::vector<int> values; ///< the preferred ones first: they are named if nothing decides

    /// One value as an override would give it.
    std::string text(std::size_t index) const;
};

struct ParametricNode;

/// A child of a fuse.
struct ParametricEdge {
    std::vector<ParametricNode> node; ///< exactly one
    Slot F = no_slot, mode = no_slot, zero = no_slot, drop = no_slot;
};

struct ParametricNode {
    enum class Kind : std::uint8_t { product, group, accumulator, fuse, round };
    using Edge = ParametricEdge;

    Kind kind = Kind::product;
    // product, group
    Selection which{};
    int size = 16; ///< of a group,
    Slot empty = no_slot;
    Slot normalisation = no_slot, limit = no_slot, yields = no_slot, infnan = no_slot, nanzero = no_slot,
         infzero = no_slot;
    Slot flush = no_slot; ///< product, accumulator: of operands; round: of results
    Slot as = no_slot;    ///< accumulator
    // fuse
    std::vector<Edge> edges;
    Slot floor = no_slot, carry = no_slot, sticky = no_slot, plus = no_slot, frame = no_slot, opposed = no_slot,
         step = no_slot, phase = no_slot;
    // round
    std::vector<ParametricNode> child; ///< exactly one
    Slot format = no_slot, mode = no_slot, overflow = no_slot, zero_sign = no_slot, underflow = no_slot;
};

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
