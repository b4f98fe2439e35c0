// The inner nodes of a tree as terms: the fused sum and the rounding.
#pragma once

#include "models/tree.hpp"
#include "models/unit.hpp"
#include "number.hpp"

#include <optional>
#include <span>
#include <vector>

namespace discern {

/// How a summand is aligned; the fields are those of Child.
struct Alignment {
    std::optional<int> F;
    Rounding rounding = Rounding::rz;
    ZeroExponent zero;
    std::optional<int> drop;
};

struct Summand {
    Number number;
    Alignment how;
};

/// @param summands  at least one
/// @param floor, carry  those of Fuse
Number fuse_term(Terms& t, std::span<const Summand> summands, std::optional<int> floor, std::optional<int> carry);

/// The rounded number as a bit pattern of the round's format.
/// @param nan  which pattern a NaN becomes
Term round_term(Terms& t, const Round& how, const Number& value, const NanRule& nan);

} // namespace discern
