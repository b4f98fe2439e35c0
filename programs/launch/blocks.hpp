// What launches have in common, whatever their memory holds: code, sizes, variables, and the blocks of the grid.
#pragma once

#include "programs/machine/block.hpp"

#include <vector>

namespace discern::programs {

/// The code of all instructions. @throws Error with file, line and instruction
DecodedProgram decoded(const Program& program, Graph& graph);

/// Sets how many threads a block has, and how many blocks a cluster. @param launched  what the launch says; empty: as
/// the entry says @throws Error
void size_block(Machine& machine, const std::vector<unsigned>& launched);
void size_cluster(Machine& machine, const std::vector<unsigned>& launched);

/// Shared variables in their order, those that the launch sizes behind all others; constants in global memory.
/// @throws Error
void place_variables(Machine& machine);

/// Runs the blocks one after the other. @throws Error; also if two threads write values to one place of which none is
/// the last, and that differ for some data
void run_blocks(Machine& machine);

} // namespace discern::programs
