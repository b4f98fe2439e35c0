// Which lane of a wave holds which element of the matrices of an mfma instruction.
//
// A wave has 64 lanes. Of A (and B), a lane holds `items` consecutive k of one row (column) of one block; of C and D,
// it holds elements of one column. The formulas are those of AMD's instruction set manuals (MI300, section 7.1.5,
// "dense matrix layouts") and of AMD's matrix instruction calculator.
#pragma once

#include "hwrunner/matrix_target.hpp"
#include "mfma_instructions.hpp"

#include <vector>

namespace discern {

/// The `item`-th element that a lane holds, from its lowest register's low bits on.
struct LanePlace {
    int lane, item;
    bool operator==(const LanePlace&) const = default;
};

/// Of element k of a row of A or of a column of B.
LanePlace operand_place(const MfmaInstruction& instruction, int block, int row_or_column, int k);
/// Of element (i, j) of C and of D.
LanePlace result_place(const MfmaInstruction& instruction, int block, int i, int j);

/// The registers of one or more waves as they lie in memory: wave after wave, lane after lane, each lane's elements in
/// order, least significant byte first.
struct WaveImages {
    std::vector<unsigned char> a, b, c;
};

/// Appends the operands of one instruction.
/// @param tiles  one a block, of the instruction's shape
void append_wave(const MfmaInstruction& instruction, std::span<const MatrixTile> tiles, WaveImages& images);

/// Element (i, j) of D of a block of a wave of an image of results.
std::uint64_t result_at(const MfmaInstruction& instruction, std::span<const unsigned char> d, std::size_t wave,
                        int block, int i, int j);

/// Bytes of the image of one wave.
std::size_t operand_bytes(const MfmaInstruction& instruction);
std::size_t result_bytes(const MfmaInstruction& instruction);

} // namespace discern
