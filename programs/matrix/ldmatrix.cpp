// ldmatrix and stmatrix: 8 × 8 matrices of 16-bit elements between shared memory and fragments. Lanes 8j … 8j + 7 have
// the addresses of the rows of matrix j; lane l has the elements 2(l mod 4) and the next of row l div 4.
#include "tile.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

/// mode[0]: 1 if transposed; mode[1]: operand of the address.
template <typename Move>
void each_element(Block& block, const Step& step, Access what, const Move& move) {
    const std::uint64_t* address = block.addresses(step.operands[step.mode[1]]);
    const bool transposed = step.mode[0] != 0;
    const std::size_t matrices = step.operands[1 - step.mode[1]].registers.size();
    block.each_warp([&](unsigned warp) {
        for (unsigned j = 0; j < matrices; ++j)
            for (unsigned l = 0; l < lanes_of_warp; ++l)
                for (unsigned e = 0; e < 2; ++e) {
                    const unsigned one = l / 4, two = l % 4 * 2 + e;
                    const unsigned row = transposed ? two : one, column = transposed ? one : two;
                    const unsigned base = warp * lanes_of_warp;
                    move(j, base + l, e, block.shared(address[base + 8 * j + row] + 2 * column, 2, base + l, what));
                }
    });
}

void load_matrices(Block& block, const Step& step) {
    NewRegisters result(block, step.operands[0]);
    each_element(block, step, Access::read, [&](unsigned j, unsigned lane, unsigned e, const Code* from) {
        std::copy_n(from, 2, &result.at(j, lane)[e * 2]);
    });
    result.write();
}

void store_matrices(Block& block, const Step& step) {
    each_element(block, step, Access::write, [&](unsigned j, unsigned lane, unsigned e, Code* to) {
        Code room[4];
        block.codes(step.operands[1].registers[j], lane, room);
        std::copy_n(room + e * 2, 2, to);
    });
}

void decode_ldmatrix(Decoder&, const Instruction& at, Step& step) {
    const bool loads = at.parts[0] == "ldmatrix";
    if (!at.has("m8n8") || !at.has("b16") || step.operands.size() != 2 || !step.operands[loads ? 1 : 0].is_address)
        throw Error(sentence("of ", at.parts[0], " only m8n8 with b16 is read"));
    const unsigned count = at.has("x4") ? 4 : at.has("x2") ? 2 : 1;
    if (step.operands[loads ? 0 : 1].registers.size() != count)
        throw Error(sentence("its list must have ", count, " registers"));
    step.mode = {at.has("trans"), loads};
    step.run = loads ? load_matrices : store_matrices;
}

} // namespace

std::span<const Opcode> ldmatrix_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"ldmatrix", decode_ldmatrix, "sync aligned m8n8 x1 x2 x4 trans shared*"},
        {"stmatrix", decode_ldmatrix, "sync aligned m8n8 x1 x2 x4 trans shared*"},
    };
    return opcodes;
}

} // namespace discern::programs
