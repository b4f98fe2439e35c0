// Further vectors on which a design is wrong, of other kinds than the first one: other terms, signs, distances of
// exponents.
#pragma once

#include "solver/backend/limit.hpp"

#include "models/unit.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace discern::rtl {

/// Looked for near vectors that are known, and among random ones; what is found is simplified as far as its kind stays
/// new.
/// @param unit     of the design's formats
/// @param differs  whether a vector is one; a design may change faster than a solver can be asked
/// @return at most `count`; fewer where no more were found in a part of the time that is left
std::vector<Vector> vectors_of_other_kinds(const Unit& unit, const Vector& first, std::size_t count,
                                           const std::function<bool(const Vector&)>& differs, std::uint64_t seed,
                                           const Limit& limit);

} // namespace discern::rtl
