// mma.m8n8k4 of f16: four products at once, each by a quad pair, lanes 4p … 4p + 3 and 16 + 4p … 16 + 4p + 3.
//
// From the PTX ISA's formulas for its fragments: with t = lane mod 4 and u = 4 for lanes from 16 on, else 0, a
// row-major A has row t + u and column i, a column-major one row i + u and column t; B the other way round. C and D of
// f16 have row t + u and column i; of f32 row (t mod 2) + (i & 2) + u and column (i & 4) + (t & 2) + (i & 1).
#include "tile.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::programs {

namespace {

constexpr unsigned pairs = 4;

/// mode[0], mode[1]: A and B by columns; mode[2], mode[3]: bytes of an element of D and of C.
unsigned pair_of(unsigned l) { return l % 16 / 4; }

std::pair<unsigned, unsigned> place_in_quad_pair(unsigned l, unsigned i, unsigned bytes) {
    const unsigned t = l % 4, u = l < 16 ? 0 : 4;
    return bytes == 2 ? std::pair(t + u, i) : std::pair((t & 1) + (i & 2) + u, (i & 4) + (t & 2) + (i & 1));
}

/// Each element of a fragment of halves or words: its number and node.
template <typename Put>
void each(Block& block, const Place& fragment, unsigned lane, unsigned bytes, const Put& put) {
    Code room[4];
    for (unsigned r = 0; r < fragment.registers.size(); ++r) {
        block.codes(fragment.registers[r], lane, room);
        for (unsigned e = 0; e < 4 / bytes; ++e)
            put(r * (4 / bytes) + e, block.graph().of_codes({room + e * bytes, bytes}));
    }
}

void multiply_quad_pairs(Block& block, const Step& step) {
    const unsigned size = step.mode[2];
    NewRegisters result(block, step.operands[0]);
    block.each_warp([&](unsigned warp) {
        std::vector<Tile> tiles(pairs, Tile(8, 8, 4));
        for (unsigned l = 0; l < lanes_of_warp; ++l) {
            const unsigned lane = warp * lanes_of_warp + l, t = l % 4, u = l < 16 ? 0 : 4;
            Tile& tile = tiles[pair_of(l)];
            each(block, step.operands[1], lane, 2, [&](unsigned i, NodeId node) {
                tile.a[step.mode[0] != 0 ? (i + u) * 4 + t : (t + u) * 4 + i] = node;
            });
            each(block, step.operands[2], lane, 2, [&](unsigned i, NodeId node) {
                tile.b[step.mode[1] != 0 ? (t + u) * 4 + i : (i + u) * 4 + t] = node;
            });
            each(block, step.operands[3], lane, step.mode[3], [&](unsigned i, NodeId node) {
                const auto [row, column] = place_in_quad_pair(l, i, step.mode[3]);
                tile.c[row * 8 + column] = node;
            });
        }
        for (Tile& tile : tiles) multiply(block, step.operations[0], step.operations[1], size, tile);
        for (unsigned l = 0; l < lanes_of_warp; ++l)
            for (unsigned i = 0; i < 8; ++i) {
                const auto [row, column] = place_in_quad_pair(l, i, size);
                const std::span<Code> into = result.at(i * size / 4, warp * lanes_of_warp + l);
                block.graph().to_codes(tiles[pair_of(l)].d[row * 8 + column],
                                       into.subspan(i % (4 / size) * size, size));
            }
    });
    result.write();
}

} // namespace

void decode_quad_pairs(Decoder& decoder, const Instruction& at, Step& step) {
    const std::size_t parts = at.parts.size();
    const std::string_view d = at.parts[parts - 4], c = at.parts[parts - 1];
    const std::string_view layout_a = at.parts[parts - 6], layout_b = at.parts[parts - 5];
    const auto bytes = [](std::string_view type) { return type == "f16" ? 2u : 4u; };
    if ((layout_a != "row" && layout_a != "col") || (layout_b != "row" && layout_b != "col"))
        throw Error("this form of mma is not read");
    step.mode = {layout_a == "col", layout_b == "col", bytes(d), bytes(c)};
    const std::size_t right[] = {step.mode[2] * 2, 2, 2, step.mode[3] * 2};
    for (std::size_t i = 0; i < 4; ++i)
        if (step.operands[i].registers.size() != right[i])
            throw Error(sentence("its operand ", i + 1, " has ", step.operands[i].registers.size(), " registers; ",
                                 right[i], " are right"));
    step.operations = {unit_operation(decoder, sentence("mma.m8n8k4.", d, ".f16.f16.", c)), row_operation(decoder)};
    step.run = multiply_quad_pairs;
}

} // namespace discern::programs
