// Which NaN a target gives. It is independent of all other parameters, and is found from all NaN that were observed.
#pragma once

#include "models/shape.hpp"
#include "models/unit.hpp"
#include "models/vectors.hpp"

#include <vector>

namespace discern::identify {

/// Vectors that give NaN: payloads of either sign in each operand and in two of them, ∞ − ∞, 0 · ∞.
std::vector<Vector> nan_vectors(const Shape& shape);

/// Whether the result is a NaN that no rule gives which keeps what an operand's NaN carries: a pattern of the unit's
/// own.
bool is_own_nan(const Unit& unit, const Vector& observed);

/// The rule that explains all NaN among the observations: one pattern; else what x86 does; else any.
NanRule nan_rule(const Unit& unit, const std::vector<const Vector*>& observations);

} // namespace discern::identify
