// Tiles of Intel's AMX: sixteen rows of 64 bytes.
#pragma once

#include "hwrunner/matrix_target.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace discern {

using AmxTile = std::array<std::uint32_t, 256>; ///< row r begins at 16·r

/// A as the instruction wants it: a word of row i holds elements 2p and 2p+1 of row i, the first in the low half.
AmxTile amx_a(const MatrixTile& tile);
/// B: a word of row p holds elements 2p and 2p+1 of column j.
AmxTile amx_b(const MatrixTile& tile);
AmxTile amx_c(const MatrixTile& tile);

} // namespace discern
