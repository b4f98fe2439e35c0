// What a program does around a unit, written down: words into which numbers are split, correction terms, scaling, and
// accumulators of its own. docs/compare.md has the form:
//
//     a1 = word(a); a2 = word(a - a1); b1 = word(b); b2 = word(b - b1);
//     mma(a1, b1, mma(a1, b2, mma(a2, b1, c)))
//
// This is the text as a tree, without formats: they come from the unit on which it runs (setting.hpp).
#pragma once

#include "models/format.hpp"
#include "models/rounding.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discern::compare {

struct Expression {
    enum class Kind : std::uint8_t {
        number,   ///< `number`
        name,     ///< `name`
        add,      ///< the sum of both, rounded
        subtract, ///< the difference
        multiply, ///< the product
        divide,   ///< the first over the second, which is a power of two
        convert,  ///< to `format`, by `mode`
        word,     ///< to the unit's format of that operand, by `mode`
        mma,      ///< instructions over all elements of the first two, from the third
    };
    Kind kind = Kind::number;
    double number = 0;
    std::string name{};
    FormatId format = FormatId::f32;
    Rounding mode = Rounding::rne;
    std::vector<Expression> operands{};
    std::size_t column = 1; ///< in the text, for errors
};

struct Statement {
    enum class Kind : std::uint8_t {
        assign, ///< `name` becomes `value`
        each,   ///< `body`, once for every `pieces` elements
    };
    Kind kind = Kind::assign;
    std::string name{};
    Expression value{};
    std::size_t piece = 0; ///< elements; 0: those of one instruction
    std::vector<Statement> body{};
    std::size_t column = 1;
};

struct Program {
    std::string text; ///< as it was written
    std::vector<Statement> statements;
    Expression result;
};

/// @throws Error with the column, what is there and what would be right
Program parse_program(std::string_view text);

/// An algorithm of the literature.
struct NamedProgram {
    std::string_view name, text, says, source;
};
std::span<const NamedProgram> named_programs();

/// A name of the table, or a program. @throws Error that names the nearest right ones
Program resolve_program(std::string_view text);

} // namespace discern::compare
