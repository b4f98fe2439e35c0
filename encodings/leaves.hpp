// The leaves of a tree as terms: products, groups and the accumulator.
#pragma once

#include "models/tree.hpp"
#include "number.hpp"

#include <optional>
#include <span>

namespace discern {

/// Decoded operands of one product; the scales are there if the unit has scales.
struct Factors {
    Number a, b;
    std::optional<Number> scale_a, scale_b;
};

Number product_term(Terms& t, const Product& leaf, const Factors& factors);
/// @param factors  of the group's elements, which share their scales
Number group_term(Terms& t, std::span<const Factors> factors);
/// @param value   the decoded accumulator
/// @param format  the format it was decoded from
Number accumulator_term(Terms& t, const Accumulator& leaf, const Number& value, const Format& format);

} // namespace discern
