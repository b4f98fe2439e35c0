// A product of small matrices, as nodes: what every matrix instruction makes of its fragments.
#pragma once

#include "programs/machine/block.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace discern::programs {

/// M × N results of K products each. B lies as N rows of K.
struct Tile {
    unsigned m = 0, n = 0, k = 0;
    std::vector<NodeId> a, b, c, d;
    std::vector<NodeId> sa{}, sb{}; ///< scales of the rows and columns, as many of each; empty: there are none
    Tile(unsigned rows, unsigned columns, unsigned products)
        : m(rows), n(columns), k(products), a(rows * products), b(columns * products), c(rows * columns),
          d(rows * columns) {}
};

/// Fills in d: nodes, or, if the launch is on numbers, constants. @param op  a unit @param row  the operation of rows
/// @param size  bytes of a result
void multiply(Block& block, OpId op, OpId row, unsigned size, Tile& tile);
/// The same in a graph, as nodes.
void multiply(Graph& graph, OpId op, OpId row, unsigned size, Tile& tile);

/// An element of so many bits, from that bit of the first byte on. @param bytes  as many as it lies in
NodeId element_at(Block& block, const Code* bytes, std::uint64_t first, unsigned width);

/// m16n8k16 as numbers.
struct ShapeOfTile {
    unsigned m = 0, n = 0, k = 0;
};
/// @throws Error if no modifier is a shape
ShapeOfTile shape_of_tile(const Instruction& at);

/// The operation of a matrix instruction, under the catalogue's name of the unit. @param name  without the architecture
/// @throws Error if the catalogue has no such unit
OpId unit_operation(Decoder& decoder, const std::string& name);
/// That of rows of operands.
inline OpId row_operation(Decoder& decoder) { return decoder.graph().operation("row", Kind::row); }

/// The architecture in the catalogue's words, "" if there is none. @param sm  80 of sm_80
std::string_view architecture_of(int sm);

/// Whether an mma.sync is Volta's, of f16 in quad pairs, and what it does (quad_pairs.cpp).
inline bool is_of_quad_pairs(const ShapeOfTile& shape, std::string_view a) {
    return shape.m == 8 && shape.n == 8 && shape.k == 4 && a == "f16";
}
void decode_quad_pairs(Decoder& decoder, const Instruction& at, Step& step);

std::span<const Opcode> mma_opcodes();
std::span<const Opcode> wmma_opcodes();
std::span<const Opcode> ldmatrix_opcodes();
std::span<const Opcode> wgmma_opcodes();
std::span<const Opcode> tcgen05_opcodes();

} // namespace discern::programs
