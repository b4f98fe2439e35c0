// The leaves of a tree as terms: products, groups and the accumulator.
#pragma once

#include "encodings/graph/pick.hpp"
#include "encodings/number/number.hpp"
#include "models/unit/attributes.hpp"

#include <optional>
#include <span>

namespace discern {

/// Decoded operands of one product; the scales are there if the unit has scales.
struct Factors {
    Number a, b;
    std::optional<Number> scale_a, scale_b;
};

using ProductRule = ProductAttributes<Pick>;
using AccumulatorRule = AccumulatorAttributes<Pick>;

Number product_term(Terms& t, const ProductRule& rule, const Factors& factors);
/// @param empty    reference exponent of a group whose products, or one of whose scales, are zero
/// @param factors  of the group's elements, which share their scales
Number group_term(Terms& t, const Pick<ZeroExponent>& empty, std::span<const Factors> factors);
/// A rounded number times scales that its products share, one or two.
Number scaled_term(Terms& t, const Number& rounded, const std::vector<Number>& scales);
/// @param value  the decoded accumulator
Number accumulator_term(Terms& t, const AccumulatorRule& rule, const Number& value);

} // namespace discern
