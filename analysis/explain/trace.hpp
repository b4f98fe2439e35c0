// How a result comes about: the walk of the evaluator over a tree (models/evaluate/machine.hpp), written down step by
// step. The arithmetic is the evaluator's own.
#pragma once

#include "models/evaluate.hpp"
#include "models/format.hpp"
#include "models/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace discern::explain {

/// A number as the evaluator has it inside: exact, of any length.
struct Number {
    enum class Kind : std::uint8_t { finite, infinite, nan };

    Kind kind = Kind::finite;
    bool negative = false;
    std::string digits; ///< binary, the first one is 1; empty: zero
    int lsb = 0;        ///< the last digit is worth 2^lsb

    bool operator==(const Number&) const = default;
    bool is_zero() const { return kind == Kind::finite && digits.empty(); }
    /// The exponent of the first digit; of numbers that are finite and not zero.
    int top() const { return lsb + static_cast<int>(digits.size()) - 1; }
    /// The number as a double, if one is exactly it.
    std::optional<double> as_double() const;
    /// Decimal if a double is exactly it and that is short, else hexadecimal (0x1.8p-25).
    std::string text() const;
};

/// The number of a pattern.
Number number(const Format& format, std::uint64_t bits);

/// One summand of a fuse.
struct Term {
    std::string name; ///< pk: product of the elements k; gk: group k; c; dk: result of block k; sk, rk: steps before
    Number value;
    /// The exponent with which it takes part in E; nothing: it takes no part.
    std::optional<int> exponent;
    /// The exponent of the last bit that alignment keeps, E − F; nothing: all bits are kept.
    std::optional<int> lsb;
    Rounding mode = Rounding::rz; ///< by which it is truncated
    Number kept;                  ///< what goes into the sum
    Number lost;                  ///< value − kept
    bool dropped = false;         ///< because its exponent is too far below E
};

/// One sum: a fuse of the tree.
struct Sum {
    std::string name; ///< s1, s2, …; the last one of a block: sum
    std::vector<Term> terms;
    std::optional<int> E;  ///< nothing: no term takes part, or a term is infinite or NaN
    std::string E_from;    ///< the term that has it, or "floor"
    bool E_raised = false; ///< to the next step
    std::vector<int> ones; ///< exponents of the units that inverted terms add (frame=)
    Number value;          ///< before the register wraps
    Number result;         ///< that the register holds
};

/// One rounding to a format.
struct RoundStep {
    std::string name; ///< r1, r2, …; the last one of a block: d
    Round rule;       ///< without child
    Number operand;
    std::uint64_t bits = 0; ///< the result, a pattern of the rule's format
    Number result;
};

using Step = std::variant<Sum, RoundStep>;

struct Block {
    std::vector<std::size_t> elements; ///< of K, in the order of the block
    std::string accumulator;           ///< the name of what it adds: c, dk, or +0
    std::vector<Step> steps;           ///< as they are done: inner ones first
    std::uint64_t d = 0;               ///< as the next block reads it, a pattern of the unit's d
    Number result;
};

struct Trace {
    std::vector<Block> blocks;
    bool c_last = false; ///< c was added to the last block's result, by one IEEE addition
    std::uint64_t d = 0;
    Number result;
};

/// @param inputs  of the unit's sizes
/// @throws Error if the unit is not valid
Trace trace(const Unit& unit, const Inputs& inputs);

} // namespace discern::explain
