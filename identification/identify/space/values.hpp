// What may vary in a part of a tree of the default space, and which values it may have, in the order of preference.
#pragma once

#include "space.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discern::identify {

/// The properties of a shape on which the possible values depend.
struct Facts {
    Facts(const Shape& of, Modes of_modes);
    const Shape& shape;
    Modes modes;
    int smallest;     ///< reference exponent of a non-zero term, whatever the normalisation
    int largest;      ///< |product| < 2^largest
    int products = 0; ///< of the sum in question
    bool with_c = false;
};

/// A parameter of a part: its name in reports, and its values.
struct Varying {
    std::string name;
    std::vector<int> values;
};

/// @param names  of what varies in the part (the table in values.cpp)
/// @param fixed  the parameter's value where it does not vary; its name is then that, in parentheses
Varying varying(const Parameter& p, std::span<const std::string_view> names, int fixed, const Facts& facts);

/// Fraction bits of the widest accumulator with the exponents of f32.
inline constexpr int most_wide = 40;

} // namespace discern::identify
