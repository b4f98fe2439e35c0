// What two units, or a unit and a file of vectors, must have in common before anything can be compared: the formats of
// the operands, the scale blocks and K.
#pragma once

#include "unit.hpp"

#include <optional>
#include <string>

namespace discern {

struct Shape {
    FormatId a = FormatId::f16, b = FormatId::f16;
    std::optional<FormatId> c; ///< nothing: there is no accumulator input
    FormatId d = FormatId::f32;
    std::optional<Scale> scale;
    int K = 16; ///< patterns of a and of b

    bool operator==(const Shape&) const = default;

    /// Scale factors of one operand: ceil(K / block), 0 without scales.
    int scales() const { return scale ? (K + scale->block - 1) / scale->block : 0; }
};

Shape shape_of(const Unit& unit);

/// In the words of the notation: "f16*f16+f32->f32 K=16 scale=e8m0/32".
std::string to_string(const Shape& shape);

/// Only the formats: "f16*f16+f32->f32".
std::string formats_of(const Shape& shape);

/// Where the two differ, as "formats", "scale blocks", "K", joined by "and"; empty if they are equal.
std::string difference(const Shape& one, const Shape& other);

} // namespace discern
