// tcgen05: tensor memory is allocated, and moved to and from registers by the data paths of the PTX ISA's figures.
#include "programs/machine/opcodes.hpp"
#include "tensor_memory.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

/// As many as can be allocated: 32, 64, … 512. @throws Error
std::uint32_t require_columns(std::uint64_t columns) {
    if (columns < 32 || columns > tensor_columns || (columns & (columns - 1)) != 0)
        throw Error(sentence(columns, " columns of tensor memory; 32, 64, 128, 256 or 512 are right"));
    return static_cast<std::uint32_t>(columns);
}

void give_back(Block& block, const Step& step) {
    const std::uint64_t* columns = block.values(step.operands[1].reg(), "the number of columns");
    block.each_lane([&](unsigned lane) { require_columns(columns[lane]); });
}

/// Columns are given out in order.
void allocate(Block& block, const Step& step) {
    const std::uint64_t* at = block.addresses(step.operands[0]);
    const std::uint64_t* columns = block.values(step.operands[1].reg(), "the number of columns");
    block.each_warp([&](unsigned warp) {
        const unsigned lane = warp * lanes_of_warp;
        from_word(block.tensor_columns, {block.at("shared", at[lane], 4, lane, Access::write), 4});
        block.tensor_columns += require_columns(columns[lane]);
        if (block.tensor_columns > tensor_columns) throw Error("more than 512 columns of tensor memory are allocated");
    });
}

void commit_to_mbarrier(Block& block, const Step& step) {
    const std::uint64_t* at = block.addresses(step.operands[0]);
    block.each_lane([&](unsigned lane) {
        block.mbarrier(at[lane]).pending -= 1;
        block.waits.commit_cells(lane, at[lane] & (window_size - 1));
        block.look_at(at[lane]);
    });
}

/// tcgen05.wait. mode[0]: for loads, else for stores.
void wait_for_moves(Block& block, const Step& step) {
    block.each_warp([&](unsigned warp) {
        if (step.mode[0] != 0)
            block.waits.wait_for_loads(warp);
        else
            block.waits.wait_for_stores(warp);
    });
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
void move_cells(Block& block, const Step& step) {
    const bool loads = step.mode[0] != 0;
    const Place& list = loads ? step.operands[0] : step.operands.back();
    const std::uint64_t* address = block.addresses(step.operands[loads ? 1 : 0]);
    const auto& path = *static_cast<const DataPath*>(step.rule);
    NewRegisters result(block, list);
    block.each_lane([&](unsigned lane) {
        for (unsigned j = 0; j < list.registers.size(); ++j) {
            const auto [row, column] = path.place(lane % lanes_of_warp, j, step.mode[1]);
            Code* at = tensor_cell(block, (address[lane] >> 16 & 0xffff) + row, (address[lane] & 0xffff) + column);
            if (loads) {
                block.waits.read_cell(lane, cell_number(block, at), false);
                std::copy_n(at, 4, result.at(j, lane).begin());
            } else {
                block.waits.store_cell(lane, cell_number(block, at));
                block.codes(list.registers[j], lane, {at, 4});
            }
        }
    });
    if (!loads) return;
    result.write();
    for (const std::uint32_t reg : list.registers)
        block.each_warp([&](unsigned warp) { block.waits.hold_load(warp, reg); });
}

void decode_move_of_cells(Decoder& decoder, const Instruction& at, Step& step) {
    const bool loads = at.parts[1] == "ld";
    const auto path =
        std::find_if(std::begin(data_paths), std::end(data_paths), [&](const DataPath& p) { return at.has(p.name); });
    if (path == std::end(data_paths) || at.has("pack::16b") || at.has("unpack::16b") || at.has("red") ||
        step.operands.size() < 2 || !step.operands[loads ? 1 : 0].is_address)
        throw Error("this form of tcgen05 is not read");
    step.mode[0] = loads;
    if (path->name == "16x32bx2") step.mode[1] = static_cast<std::uint32_t>(decoder.immediate(at, loads ? 2 : 1));
    step.rule = &*path;
    step.run = move_cells;
}

void decode_tcgen05(Decoder& decoder, const Instruction& at, Step& step) {
    step.run = nothing;
    const std::string_view what = at.parts.size() > 1 ? at.parts[1] : "";
    if (what == "fence::before_thread_sync" || what == "fence::after_thread_sync" || what == "relinquish_alloc_permit")
        return;
    if (what == "dealloc" && step.operands.size() == 2) {
        step.run = give_back;
        return;
    }
    if (what == "wait::ld" || what == "wait::st") {
        step.mode[0] = what == "wait::ld";
        step.run = wait_for_moves;
        return;
    }
    if (what == "ld" || what == "st") return decode_move_of_cells(decoder, at, step);
    if (what == "mma") return decode_tensor_product(decoder, at, step);
    const bool allocates = what == "alloc", commits = what == "commit" && !at.has_prefix("multicast");
    if ((!allocates && !commits) || !at.has("cta_group::1") || step.operands.size() != (allocates ? 2u : 1u) ||
        !step.operands[0].is_address)
        throw Error("this form of tcgen05 is not read");
    step.run = allocates ? allocate : commit_to_mbarrier;
}

} // namespace

std::span<const Opcode> tcgen05_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"tcgen05", decode_tcgen05,
         "alloc dealloc relinquish_alloc_permit commit ld st mma wait::* fence::* sync aligned cta_group::1 shared* "
         "mbarrier::arrive::one kind::* block_scale block16 block32 scale_vec::* collector::* 32x32b 16x32bx2 16x64b "
         "16x128b 16x256b x1 x2 x4 x8 x16 x32 x64 x128"},
    };
    return opcodes;
}

} // namespace discern::programs
