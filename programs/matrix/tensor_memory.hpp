// Tensor memory of tcgen05: 128 lanes of 512 columns of 32 bits.
#pragma once

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "tile.hpp"

namespace discern::programs {

inline constexpr unsigned tensor_lanes = 128, tensor_columns = 512;

/// A cell of four bytes. Addresses have the lane in their upper half, and the column in the lower one.
inline Code* tensor_cell(Block& block, std::uint64_t lane, std::uint64_t column) {
    if (lane >= tensor_lanes || column >= tensor_columns)
        throw Error(sentence("lane ", lane, ", column ", column, " is outside of tensor memory"));
    return block.tensor_memory().data() + (lane * tensor_columns + column) * 4;
}

/// The number of a cell, for waits.
inline std::size_t cell_number(Block& block, const Code* cell) {
    return static_cast<std::size_t>(cell - block.tensor_memory().data()) / 4;
}

/// tcgen05.mma (tensor_product.cpp).
void decode_tensor_product(Decoder& decoder, const Instruction& at, Step& step);

} // namespace discern::programs
