// Whether the vectors of a cell tell its classes apart, and no units of one class: what of a stored cell can be tried.
#pragma once

#include "store.hpp"

namespace discern::store {

/// @throws Error with a sentence if an input is beyond the limits, units of one class differ, or two classes do not
void require_rows(std::span<const Unit* const> units, const InputLimits& limits, const CellAnswer& answer);

} // namespace discern::store
