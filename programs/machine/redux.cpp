// redux.sync: what all threads of a mask have, added up, or the least or largest of it, for each of them.
#include "block.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "opcodes.hpp"

#include <algorithm>
#include <bit>

namespace discern::programs {

namespace {

/// Of all threads of a mask, in the order of their numbers, which does not matter. mode[0]: of magnitudes; mode[1]: of
/// floating-point numbers.
NodeId reduced(Block& block, const Step& step, unsigned first, std::uint64_t mask) {
    NodeId all = 0;
    for (unsigned lane = first; lane < first + lanes_of_warp; ++lane) {
        if ((mask >> (lane - first) & 1) == 0) continue;
        Code codes[4];
        block.codes(step.operands[1].reg(), lane, codes);
        NodeId each = block.graph().of_codes(codes);
        if (step.mode[0] != 0) each = block.apply(step.operations[1], 4, {&each, 1});
        const NodeId both[2] = {all, each};
        const bool is_first = (mask & ((std::uint64_t(1) << (lane - first)) - 1)) == 0;
        all = is_first ? each : block.apply(step.operations[0], 4, both);
    }
    const NodeId alone[2] = {all, all}; // any NaN of one thread is the NaN of the operation, too
    return std::has_single_bit(mask) && step.mode[1] != 0 ? block.apply(step.operations[0], 4, alone) : all;
}

void reduce(Block& block, const Step& step) {
    const std::uint64_t* values = block.values(step.operands[2].reg(), "the mask");
    const std::vector<std::uint64_t> masks(values, values + block.lanes());
    block.make_each(step.operands[0].reg(), 4, [&](unsigned lane, std::span<Code> into) {
        const unsigned first = lane / lanes_of_warp * lanes_of_warp;
        const std::uint64_t mask = masks[lane] & 0xffffffff;
        if ((mask >> (lane - first) & 1) == 0) throw Error(sentence("thread ", lane, " is not in its own mask"));
        for (unsigned other = first; other < first + lanes_of_warp; ++other)
            if ((mask >> (other - first) & 1) != 0 && (!block.is_active(other) || masks[other] != masks[lane]))
                throw Error(sentence("thread ", other, " of its mask does not run it with that mask"));
        block.graph().to_codes(reduced(block, step, first, mask), into);
    });
}

constexpr std::string_view reductions[] = {"add.u32", "add.s32",     "min.u32",    "min.s32", "max.u32",
                                           "max.s32", "and.b32",     "or.b32",     "xor.b32", "min.f32",
                                           "max.f32", "min.NaN.f32", "max.NaN.f32"};

void decode_redux(Decoder& decoder, const Instruction& at, Step& step) {
    if (at.parts.size() < 4 || step.operands.size() != 3) throw Error("this instruction is not read");
    std::string name(at.parts[2]);
    if (at.has("NaN")) name += ".NaN";
    name += "." + std::string(at.parts.back());
    step.mode = {at.has("abs"), name.ends_with("f32")};
    if (std::find(std::begin(reductions), std::end(reductions), name) == std::end(reductions) ||
        (step.mode[0] != 0 && !name.ends_with("f32")))
        throw Error("this instruction is not read");
    step.operations = {decoder.graph().operation(name), decoder.graph().operation("abs.f32")};
    step.run = reduce;
}

} // namespace

std::span<const Opcode> redux_opcodes() {
    static constexpr Opcode opcodes[] = {{"redux", decode_redux, "sync add min max and or xor abs NaN"}};
    return opcodes;
}

} // namespace discern::programs
