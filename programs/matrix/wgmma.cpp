// wgmma.mma_async: 64 rows by a group of four warps, B from shared memory, A from there or from registers.
//
// From the PTX ISA's figures of register fragments of wgmma: warp w of the group has rows 16w … 16w + 15. With g = lane
// / 4 and t = lane % 4, element i of D has row g + 8 (i div 2 mod 2) and column 8 (i div 4) + 2t + i mod 2; A is as in
// mma.sync.
#include "descriptor.hpp"
#include "programs/machine/opcodes.hpp"
#include "tile.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/functions/integer_unit.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

constexpr unsigned group_lanes = 128, tile_rows = 64;

void commit_group(Block& block, const Step&) {
    block.each_warp([&](unsigned warp) { block.waits.commit_products(warp); });
}
/// mode[0]: how many groups may be pending.
void wait_for_groups(Block& block, const Step& step) {
    block.each_warp([&](unsigned warp) { block.waits.wait_for_products(warp, step.mode[0]); });
}

/// mode: n, k, bytes of an element of A and B, of D, A's and B's elements of one k lie side by side, A is in registers,
/// accumulator: 0 or 1 as written, 2 by a predicate.
struct Wgmma {
    unsigned n, k, element, d;
    bool a_transposed, b_transposed, a_in_registers;
    std::uint32_t accumulates;
    explicit Wgmma(const Step& step)
        : n(step.mode[0]), k(step.mode[1]), element(step.mode[2]), d(step.mode[3]), a_transposed(step.mode[4] != 0),
          b_transposed(step.mode[5] != 0), a_in_registers(step.mode[6] != 0), accumulates(step.mode[7]) {}
    unsigned in_register() const { return 4 / d; }
};

std::pair<unsigned, unsigned> place_in_tile(unsigned lane, unsigned i) {
    const unsigned g = lane % lanes_of_warp / 4, t = lane % 4, warp = lane / lanes_of_warp % 4;
    return {warp * 16 + g + 8 * (i / 2 % 2), i / 4 * 8 + 2 * t + i % 2};
}

void gather_a(Block& block, const Step& step, const Wgmma& wgmma, unsigned group, Tile& tile) {
    if (!wgmma.a_in_registers) {
        const std::uint64_t* descriptor = block.values(step.operands[1].reg(), "the descriptor");
        return read_shared(block,
                           {descriptor[group * group_lanes], tile_rows, wgmma.k, wgmma.element * 8, false,
                            wgmma.a_transposed, false, group * group_lanes},
                           tile.a);
    }
    Code room[4];
    const unsigned count = 4 / wgmma.element;
    for (unsigned l = 0; l < group_lanes; ++l)
        for (unsigned r = 0; r < step.operands[1].registers.size(); ++r) {
            block.codes(step.operands[1].registers[r], group * group_lanes + l, room);
            const unsigned row = l / lanes_of_warp * 16 + l % lanes_of_warp / 4 + 8 * (r % 2);
            for (unsigned e = 0; e < count; ++e)
                tile.a[row * wgmma.k + l % 4 * count + e + r / 2 * 4 * count] =
                    block.graph().of_codes({room + e * wgmma.element, wgmma.element});
        }
}

void gather_c(Block& block, const Step& step, const Wgmma& wgmma, unsigned group, Tile& tile) {
    bool accumulates = wgmma.accumulates == 1;
    if (wgmma.accumulates == 2)
        accumulates = block.values(step.operands[3].reg(), "whether it accumulates")[group * group_lanes] != 0;
    if (!accumulates) {
        std::fill(tile.c.begin(), tile.c.end(), block.graph().constant(0, wgmma.d));
        return;
    }
    Code room[4];
    for (unsigned l = 0; l < group_lanes; ++l)
        for (unsigned r = 0; r < step.operands[0].registers.size(); ++r) {
            block.codes(step.operands[0].registers[r], group * group_lanes + l, room);
            for (unsigned e = 0; e < wgmma.in_register(); ++e) {
                const auto [row, column] = place_in_tile(l, r * wgmma.in_register() + e);
                tile.c[row * wgmma.n + column] = block.graph().of_codes({room + e * wgmma.d, wgmma.d});
            }
        }
}

void multiply_group(Block& block, const Step& step) {
    const Wgmma wgmma(step);
    const auto& registers = step.operands[0].registers;
    NewRegisters result(block, step.operands[0]);
    Tile tile(tile_rows, wgmma.n, wgmma.k);
    if (block.threads() % group_lanes != 0) throw Error("it needs whole groups of four warps");
    for (unsigned group = 0; group < block.lanes() / group_lanes; ++group) {
        if (!block.whole_group(group, group_lanes)) continue;
        gather_a(block, step, wgmma, group, tile);
        const std::uint64_t* descriptor = block.values(step.operands[2].reg(), "the descriptor");
        read_shared(block,
                    {descriptor[group * group_lanes], wgmma.n, wgmma.k, wgmma.element * 8, false, wgmma.b_transposed,
                     false, group * group_lanes},
                    tile.b);
        gather_c(block, step, wgmma, group, tile);
        multiply(block, step.operations[0], step.operations[1], wgmma.d, tile);
        for (unsigned l = 0; l < group_lanes; ++l)
            for (unsigned i = 0; i < registers.size() * wgmma.in_register(); ++i) {
                const auto [row, column] = place_in_tile(l, i);
                const std::span<Code> into = result.at(i / wgmma.in_register(), group * group_lanes + l);
                block.graph().to_codes(tile.d[row * wgmma.n + column],
                                       into.subspan(i % wgmma.in_register() * wgmma.d, wgmma.d));
            }
    }
    result.write();
    for (const std::uint32_t reg : registers)
        block.each_warp([&](unsigned warp) { block.waits.hold_product(warp, reg); });
}

/// The numbers behind the operands: whether it accumulates, and, but of integers, signs of A and B, and which of them
/// are transposed.
void decode_flags(Decoder& decoder, const Instruction& at, Step& step, bool has_signs) {
    if (at.operands.size() < (has_signs ? 6u : 4u)) throw Error("its operands are not read");
    const Atom& accumulates = at.operands[3].atoms[0];
    step.mode[7] = accumulates.kind == Atom::Kind::immediate ? accumulates.value != 0 : 2;
    if (at.operands[3].is_negated) throw Error("its operands are not read");
    if (!has_signs) return;
    if (decoder.immediate(at, 4) != 1 || decoder.immediate(at, 5) != 1) throw Error("negated operands are not read");
    const std::size_t transposed = at.operands.size() - 6;
    const bool in_registers = step.mode[6] != 0;
    if (transposed > 0 && !in_registers) step.mode[4] = decoder.immediate(at, 6) != 0;
    if (transposed > 0) step.mode[5] = decoder.immediate(at, at.operands.size() - 1) != 0;
}

void decode_wgmma(Decoder& decoder, const Instruction& at, Step& step) {
    step.run = nothing;
    if (at.has("fence")) return;
    if (at.has("commit_group") || at.has("wait_group")) {
        step.run = at.has("commit_group") ? commit_group : wait_for_groups;
        if (at.has("wait_group")) step.mode[0] = static_cast<std::uint32_t>(decoder.immediate(at, 0));
        return;
    }
    step.keeps_products = true;
    const ShapeOfTile shape = shape_of_tile(at);
    const std::size_t parts = at.parts.size();
    const std::string_view d = at.parts[parts - 3], a = at.parts[parts - 2], b = at.parts[parts - 1];
    constexpr std::pair<std::string_view, unsigned> types[] = {{"f16", 2},  {"bf16", 2}, {"tf32", 4}, {"e4m3", 1},
                                                               {"e5m2", 1}, {"s8", 1},   {"u8", 1}};
    const auto type = std::find_if(std::begin(types), std::end(types), [&](const auto& t) { return t.first == a; });
    const bool is_integer = d == "s32";
    const auto is_byte = [](std::string_view type_name) { return type_name == "s8" || type_name == "u8"; };
    if (at.has("sp") || parts < 7 || is_byte(a) != is_integer || is_byte(b) != is_integer || shape.m != tile_rows ||
        shape.n % 8 != 0 || shape.n > 256 || type == std::end(types) || (d != "f32" && d != "f16" && !is_integer) ||
        shape.k * type->second != 32)
        throw Error("this form of wgmma is not read");
    step.mode = {shape.n, shape.k, type->second, d == "f16" ? 2u : 4u};
    if (step.operands.size() < 3) throw Error("its operands are not read");
    step.mode[6] = step.operands[1].is_list;
    decode_flags(decoder, at, step, !is_integer);
    if (step.operands[0].registers.size() * group_lanes * (4 / step.mode[3]) != tile_rows * shape.n ||
        (step.mode[6] != 0 && step.operands[1].registers.size() != 4))
        throw Error("its lists do not fit its shape");
    const OpId unit =
        is_integer ? decoder.graph().operation(integer_unit_name(shape.k, a, b, at.has("satfinite") ? "satfinite" : ""),
                                               Kind::unit)
                   : unit_operation(decoder, sentence("wgmma.m64n8k", shape.k, ".", d, ".", a, ".", b));
    step.operations = {unit, row_operation(decoder)};
    step.run = multiply_group;
}

} // namespace

std::span<const Opcode> wgmma_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"wgmma", decode_wgmma, "mma_async sync aligned fence commit_group wait_group m64n* satfinite"},
    };
    return opcodes;
}

} // namespace discern::programs
