// Values that cannot matter to any member of a box.
#pragma once

#include "parametric.hpp"

namespace discern::identify {

/// The box with one value in the place of all floors and exponents of zeros that are too small to cut anything,
/// whatever the other parameters are: the theorem of at_rest (solver/at_rest.cpp, "alignment") for the smallest F of
/// the box. Nothing is left out where a register can wrap, or where a `drop` could tell.
Box without_idle_values(const Structure& structure, const Box& box);

} // namespace discern::identify
