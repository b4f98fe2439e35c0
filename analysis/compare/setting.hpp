// On what programs run: a unit, the formats of the numbers that they are given, the format in which they compute, and
// how many elements there are.
#pragma once

#include "program.hpp"

#include "models/shape.hpp"
#include "models/unit.hpp"

#include <cstddef>
#include <string_view>

namespace discern::compare {

struct Setting {
    Unit unit;
    FormatId a = FormatId::f32, b = FormatId::f32, c = FormatId::f32; ///< of the inputs
    FormatId arithmetic = FormatId::f32;                              ///< of +, − and ·, to nearest even
    std::size_t length = 0;                                           ///< elements of a and of b

    /// The shape of the inputs, with the given format of the result.
    Shape shape(FormatId d) const {
        return {.a = a, .b = b, .c = c, .d = d, .scale = {}, .K = static_cast<int>(length)};
    }
};

/// "f32", of all three, or "f16,f16,f32". @throws Error
void read_inputs(Setting& setting, std::string_view text);

/// @throws Error if the unit is one around which no program can be written: without c, with scales, with fixed point
void require_usable(const Setting& setting);

/// The format of the program's result. Runs through the program without numbers.
/// @throws Error with the column of what cannot be: a word of another format, an element where a sum should be, …
FormatId result_of(const Program& program, const Setting& setting);

} // namespace discern::compare
