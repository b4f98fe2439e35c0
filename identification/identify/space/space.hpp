// The default space of hypotheses: every unit of the literature, and, for each structure, all values of its parameters
// around theirs.
#pragma once

#include "models/parametric/structure.hpp"

#include <cstdint>
#include <vector>

namespace discern::identify {

using namespace parametric;

/// Which rounding modes a space has.
enum class Modes : std::uint8_t {
    usual, ///< those of published units: usual_roundings
    all,
};

/// The structures for targets of that shape. Values that the ranges of the formats make equal to an earlier one are
/// left out (docs/identify.md): floors and constants of zeros below every exponent that a term can have, registers that
/// the sum cannot fill, limits that no product reaches.
std::vector<Structure> default_space(const Shape& shape, Modes modes);

} // namespace discern::identify
