// What the ranges of the formats alone prove equal, without a solver.
#pragma once

#include "models/unit.hpp"

namespace discern::identify {

/// The same unit with every parameter at rest that can never act, because no term has exponents or places where it
/// would: floors and constants of zeros at which nothing is cut, registers that no sum fills, limits that no product
/// reaches, and everything about alignment if nothing is aligned. Units whose results of this are the same line of the
/// notation are equal on all inputs. It goes further than normal_form, from which it starts.
Unit at_rest(const Unit& unit);

} // namespace discern::identify
