// A unit with variables in the place of parameters.
//
// It is the tree of models/tree.hpp again, but each field that is a parameter names a variable of the structure;
// several fields may name the same one ("every F"). A member of the space is the unit that an assignment gives; the box
// evaluator (box_walk.hpp) reads the same tree for all assignments at once.
#pragma once

#include "choices.hpp"

#include "models/shape.hpp"
#include "models/unit.hpp"

#include <climits>
#include <string>
#include <vector>

namespace discern::parametric {

/// What the numbers in a variable's table mean.
enum class Meaning : std::uint8_t {
    fraction,       ///< F; `exact`: not rounded
    mode,           ///< Rounding
    zero,           ///< `ignore`, `own`, or the constant
    floor,          ///< `none`, or the bound
    carry,          ///< `none`: wide
    normalisation,  ///< Normalisation
    limit,          ///< `none`, or the exponent
    truth,          ///< 0 or 1
    overflow,       ///< Overflow
    operand_flush,  ///< 0 no, 1 keeping the sign, 2 to +0
    result_flush,   ///< 0 no; else 2·Flush − (sign kept ? 1 : 0)
    drop,           ///< `none`, or n
    format,         ///< FormatId
    optional_format ///< `none`, or FormatId
};

inline constexpr int none = INT_MIN, ignore = INT_MIN, own = INT_MIN + 1, exact = INT_MIN;

struct Variable {
    std::string name; ///< the key of an override where there is one
    Meaning meaning;
    std::vector<int> values; ///< the preferred ones first: they are named if nothing decides

    /// One value as an override would give it.
    std::string text(std::size_t index) const;
};

using Slot = std::size_t; ///< index of a variable of the structure

struct ParametricNode {
    enum class Kind : std::uint8_t { product, group, accumulator, fuse, round };

    /// Of a fuse.
    struct Edge {
        std::vector<ParametricNode> node; ///< exactly one
        Slot F, mode, zero, drop;
    };

    Kind kind = Kind::product;
    // product, group
    Selection which{};
    int size = 16; ///< of a group
    Slot normalisation = 0, limit = 0, yields = 0;
    Slot flush = 0; ///< product, accumulator: of operands; round: of results
    Slot as = 0;    ///< accumulator
    // fuse
    std::vector<Edge> edges;
    Slot floor = 0, carry = 0;
    // round
    std::vector<ParametricNode> child; ///< exactly one
    Slot format = 0, mode = 0, overflow = 0, zero_sign = 0, underflow = 0;
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
struct Space {
    Structure structure;
    std::vector<Box> boxes; ///< at least one, each of at least one member

    const Unit& frame() const { return structure.frame; }
    bool is_unit() const;
};

} // namespace discern::parametric
