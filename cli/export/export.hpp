// The form of export that needs the circuits, which hwrunner does not know.
#pragma once

#include "hwrunner/export/export.hpp"

namespace discern::cli {

/// A question for an SMT solver: is there a vector here whose d is not what the unit's circuit gives?
/// @throws Error if the vectors have no unit or no d
void export_smt2(std::ostream& out, const Exported& what);

} // namespace discern::cli
