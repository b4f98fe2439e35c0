// Operands in shared memory that wgmma and tcgen05.mma name by a descriptor of 64 bits.
#pragma once

#include "programs/machine/block.hpp"

namespace discern::programs {

struct SharedOperand {
    std::uint64_t descriptor = 0;
    unsigned rows = 0, k = 0;   ///< of the matrix, whose rows are dot products' operands
    unsigned bits = 0;          ///< of an element: whole bytes, or 4 or 6
    bool is_padded = false;     ///< of 4 or 6 bits: sixteen elements in a row, and what is left of 16 bytes
    bool rows_are_near = false; ///< elements of one k lie side by side, not those of one row
    bool is_blackwell = false;  ///< the descriptor is that of tcgen05
    unsigned lane = 0;          ///< which reads it
};

/// Nodes, rows × k. @throws Error if the descriptor is one that is not read
void read_shared(Block& block, const SharedOperand& operand, std::vector<NodeId>& into);

} // namespace discern::programs
