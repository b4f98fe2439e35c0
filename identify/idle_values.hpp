// Values that make no difference to any member of a box: what remains can then be listed.
#pragma once

#include "models/parametric/structure.hpp"

#include <vector>

namespace discern::identify {

using namespace parametric;

/// For each variable and each value of its table, the value of the box that stands for it. A member of the box and the
/// one with all values replaced compute the same (theorems of solver/rest_exponents.cpp, for all members at once):
/// - F so large that no term is ever cut, `drop` so large that none is dropped, and the modes of what is never cut;
/// - floors and exponents of zeros that are too small to cut anything, or with nothing to cut;
/// - normalisation and `as` where nothing reads exponents.
/// Nothing is replaced where a register can wrap.
std::vector<std::vector<std::size_t>> idle_values(const Structure& structure, const Box& box);

/// The box with the values that stand for others alone.
Box without_idle_values(const Structure& structure, const Box& box);

} // namespace discern::identify
