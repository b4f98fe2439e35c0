// The forms of export that need what hwrunner does not know: the circuits, and archives.
#pragma once

#include "hwrunner/export/export.hpp"

namespace discern::cli {

/// A question for an SMT solver: is there a vector here whose d is not what the unit's circuit gives?
/// @throws Error if the vectors have no unit or no d
void export_smt2(std::ostream& out, const Exported& what);

/// An .npz archive of the operands. @throws Error if this build has no libzip
void export_npy(std::ostream& out, const Exported& what);

} // namespace discern::cli
