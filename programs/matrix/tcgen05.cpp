// tcgen05: products whose accumulators lie in tensor memory, 128 lanes of 512 columns of 32 bits, and moves to and from
// it.
//
// From the PTX ISA's sections on tensor memory, on the instruction descriptor (its bits are named below), and on the
// data paths: with M = 128 row r of D is lane r; with M = 64 it is lane 32 (r div 16) + r mod 16.
#include "descriptor.hpp"
#include "tile.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

constexpr unsigned tensor_lanes = 128, tensor_columns = 512;

void nothing(Block&, const Step&) {}

/// A cell of four bytes. Addresses have the lane in their upper half, and the column in the lower one.
Code* cell(Block& block, std::uint64_t lane, std::uint64_t column) {
    if (lane >= tensor_lanes || column >= tensor_columns)
        throw Error(sentence("lane ", lane, ", column ", column, " is outside of tensor memory"));
    return block.tensor_memory().data() + (lane * tensor_columns + column) * 4;
}

/// Columns are given out in order. mode[0]: they are in operand 1.
void allocate(Block& block, const Step& step) {
    const std::uint64_t* at = block.addresses(step.operands[0]);
    const std::uint64_t* columns = block.values(step.operands[1].reg(), "the number of columns");
    for (unsigned warp = 0; warp < block.warps(); ++warp) {
        if (!block.whole_group(warp, lanes_of_warp)) continue;
        const unsigned lane = warp * lanes_of_warp;
        Code* into = block.at("shared", at[lane], 4, lane, true);
        for (unsigned i = 0; i < 4; ++i) into[i] = block.tensor_columns >> (8 * i) & 255;
        block.tensor_columns += static_cast<std::uint32_t>(columns[lane]);
        if (block.tensor_columns > tensor_columns) throw Error("more than 512 columns of tensor memory are allocated");
    }
}

void commit(Block& block, const Step& step) {
    const std::uint64_t* at = block.addresses(step.operands[0]);
    for (unsigned lane = 0; lane < block.lanes(); ++lane) {
        if (!block.is_active(lane)) continue;
        const auto found = block.mbarriers.find(at[lane] & (window_size - 1));
        if (found == block.mbarriers.end()) throw Error("no mbarrier was made there");
        found->second.pending -= 1;
        block.arrive(found->second);
    }
}

/// Which cell register j of a lane is, from the address: lane and column.
struct DataPath {
    std::string_view name;
    std::pair<unsigned, unsigned> (*place)(unsigned lane, unsigned j, unsigned half);
};
constexpr DataPath data_paths[] = {
    {"32x32b", [](unsigned l, unsigned j, unsigned) { return std::pair(l, j); }},
    {"16x32bx2", [](unsigned l, unsigned j, unsigned half) { return std::pair(l % 16, j + l / 16 * half); }},
    {"16x64b", [](unsigned l, unsigned j, unsigned) { return std::pair(l / 4 + 8 * (j % 2), j / 2 * 2 + l % 4 / 2); }},
    {"16x128b", [](unsigned l, unsigned j, unsigned) { return std::pair(l / 4 + 8 * (j % 2), j / 2 * 4 + l % 4); }},
    {"16x256b", [](unsigned l, unsigned j,
                   unsigned) { return std::pair(l / 4 + 8 * (j / 2 % 2), j / 4 * 8 + l % 4 * 2 + j % 2); }},
};

/// mode[0]: it loads; mode[1]: what 16x32bx2 adds to the column of its second half.
void move(Block& block, const Step& step) {
    const bool loads = step.mode[0] != 0;
    const Place& list = loads ? step.operands[0] : step.operands.back();
    const std::uint64_t* address = block.addresses(step.operands[loads ? 1 : 0]);
    const auto& path = *static_cast<const DataPath*>(step.rule);
    const std::size_t all = std::size_t(block.lanes()) * 4;
    std::vector<Code> result(loads ? list.registers.size() * all : 0, 0);
    for (unsigned lane = 0; lane < block.lanes(); ++lane) {
        if (!block.is_active(lane)) continue;
        for (unsigned j = 0; j < list.registers.size(); ++j) {
            const auto [row, column] = path.place(lane % lanes_of_warp, j, step.mode[1]);
            Code* at = cell(block, (address[lane] >> 16 & 0xffff) + row, (address[lane] & 0xffff) + column);
            if (loads)
                std::copy_n(at, 4, result.begin() + static_cast<std::ptrdiff_t>(j * all + lane * 4));
            else
                block.codes(list.registers[j], lane, {at, 4});
        }
    }
    for (std::size_t j = 0; loads && j < list.registers.size(); ++j)
        block.put_codes(list.registers[j], std::span(result).subspan(j * all, all), 4);
}

/// What the instruction descriptor says.
struct Described {
    std::string_view a, b;
    unsigned d = 4, m = 0, n = 0;
    bool a_transposed, b_transposed;
};

/// The kinds of tcgen05.mma: bytes of an element, and formats by their number in the descriptor.
struct ProductKind {
    std::string_view name;
    unsigned element;
    std::array<std::string_view, 6> formats;
};
constexpr ProductKind kinds[] = {
    {"kind::f16", 2, {"f16", "bf16"}}, {"kind::tf32", 4, {"", "", "tf32"}}, {"kind::f8f6f4", 1, {"e4m3", "e5m2"}}};

Described described(std::uint64_t bits, const ProductKind& kind) {
    if ((bits & 7) != 0) throw Error("a sparse product is not read");
    if ((bits >> 13 & 3) != 0) throw Error("negated operands are not read");
    const auto format = [&](unsigned at) {
        const std::uint64_t number = bits >> at & 7;
        if (number >= kind.formats.size() || kind.formats[number].empty())
            throw Error(sentence("its descriptor has format ", number, ", which is not read"));
        return kind.formats[number];
    };
    const std::uint64_t d = bits >> 4 & 3;
    if (d > 1) throw Error(sentence("its descriptor has accumulator format ", d, ", which is not read"));
    return {format(7),
            format(10),
            d == 1 ? 4u : 2u,
            static_cast<unsigned>(bits >> 24 & 31) * 16,
            static_cast<unsigned>(bits >> 17 & 63) * 8,
            (bits >> 15 & 1) != 0,
            (bits >> 16 & 1) != 0};
}

/// The unit of each format: all are looked up when the instruction is decoded, since the descriptor is known later.
OpId operation_of(Block& block, const Described& what, unsigned k) {
    const std::string name = sentence(architecture_of(block.machine().program.sm), "/tcgen05.mma.m", what.m, "n8k", k,
                                      what.d == 4 ? ".f32." : ".f16.", what.a, ".", what.b);
    return block.graph().operation(name, Kind::unit);
}

void product(Block& block, const Step& step) {
    const auto& kind = *static_cast<const ProductKind*>(step.rule);
    const unsigned lane = block.only_lane(), k = 32 / kind.element;
    const std::uint64_t d = block.addresses(step.operands[0])[lane];
    const Described what = described(block.values(step.operands[3].reg(), "the descriptor")[lane], kind);
    const bool accumulates =
        (block.values(step.operands[4].reg(), "whether it accumulates")[lane] != 0) != step.operands[4].is_negated;
    if ((what.m != 64 && what.m != 128) || what.n == 0 || what.n > 256)
        throw Error(sentence("a product of ", what.m, " by ", what.n, " is not read"));
    const auto lane_of = [&](unsigned row) { return what.m == 128 ? row : row / 16 * 32 + row % 16; };
    Tile tile(what.m, what.n, k);
    if (step.operands[1].is_address) {
        const std::uint64_t a = block.addresses(step.operands[1])[lane];
        for (unsigned row = 0; row < what.m; ++row)
            for (unsigned i = 0; i < k; ++i) {
                const unsigned byte = i * kind.element;
                tile.a[row * k + i] = block.graph().of_codes(
                    {cell(block, (a >> 16 & 0xffff) + lane_of(row), (a & 0xffff) + byte / 4) + byte % 4, kind.element});
            }
    } else {
        read_shared(block,
                    {block.values(step.operands[1].reg(), "the descriptor")[lane], what.m, k, kind.element,
                     what.a_transposed, true},
                    tile.a);
    }
    read_shared(block,
                {block.values(step.operands[2].reg(), "the descriptor")[lane], what.n, k, kind.element,
                 what.b_transposed, true},
                tile.b);
    const auto at = [&](unsigned row, unsigned column) {
        return cell(block, (d >> 16 & 0xffff) + lane_of(row), (d & 0xffff) + column);
    };
    const NodeId zero = block.graph().constant(0, what.d);
    for (unsigned row = 0; row < what.m; ++row)
        for (unsigned column = 0; column < what.n; ++column)
            tile.c[row * what.n + column] = accumulates ? block.graph().of_codes({at(row, column), what.d}) : zero;
    multiply(block.graph(), operation_of(block, what, k), step.operations[0], what.d, tile);
    for (unsigned row = 0; row < what.m; ++row)
        for (unsigned column = 0; column < what.n; ++column) {
            std::fill_n(at(row, column), 4, 0);
            block.graph().to_codes(tile.d[row * what.n + column], {at(row, column), what.d});
        }
}

void decode_move(Decoder& decoder, const Instruction& at, Step& step) {
    const bool loads = at.parts[1] == "ld";
    const auto path =
        std::find_if(std::begin(data_paths), std::end(data_paths), [&](const DataPath& p) { return at.has(p.name); });
    if (path == std::end(data_paths) || at.has("pack::16b") || at.has("unpack::16b") || at.has("red") ||
        step.operands.size() < 2 || !step.operands[loads ? 1 : 0].is_address)
        throw Error("this form of tcgen05 is not read");
    step.mode[0] = loads;
    if (path->name == "16x32bx2") step.mode[1] = static_cast<std::uint32_t>(decoder.immediate(at, loads ? 2 : 1));
    step.rule = &*path;
    step.run = move;
}

void decode_product(Decoder& decoder, const Instruction& at, Step& step) {
    const auto kind =
        std::find_if(std::begin(kinds), std::end(kinds), [&](const ProductKind& k) { return at.has(k.name); });
    if (kind == std::end(kinds) || !at.has("cta_group::1") || at.has("ws") || at.has("sp") ||
        at.has_prefix("block_scale") || step.operands.size() != 5 || !step.operands[0].is_address)
        throw Error("this form of tcgen05.mma is not read");
    step.rule = &*kind;
    step.operations = {row_operation(decoder)};
    if (architecture_of(decoder.program().sm) != "blackwell")
        throw Error(sentence("sm_", decoder.program().sm, " has no tcgen05"));
    step.run = product;
}

void decode(Decoder& decoder, const Instruction& at, Step& step) {
    step.run = nothing;
    const std::string_view what = at.parts.size() > 1 ? at.parts[1] : "";
    if (what == "fence::before_thread_sync" || what == "fence::after_thread_sync" || what.starts_with("wait::") ||
        what == "relinquish_alloc_permit" || what == "dealloc")
        return;
    if (what == "ld" || what == "st") return decode_move(decoder, at, step);
    if (what == "mma") return decode_product(decoder, at, step);
    const bool allocates = what == "alloc", commits = what == "commit" && !at.has_prefix("multicast");
    if ((!allocates && !commits) || !at.has("cta_group::1") || step.operands.size() != (allocates ? 2u : 1u) ||
        !step.operands[0].is_address)
        throw Error("this form of tcgen05 is not read");
    step.run = allocates ? allocate : commit;
}

} // namespace

std::span<const Opcode> tcgen05_opcodes() {
    static constexpr Opcode opcodes[] = {{"tcgen05", decode}};
    return opcodes;
}

} // namespace discern::programs
