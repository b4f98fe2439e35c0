// Loads and stores, variables of a lane, and loads from LDS that transpose.
#include "accesses.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::programs::amd {

namespace {

using llir::Instruction;
using TypeKind = llir::Type::Kind;

void load(Workgroup& group, const Step& step) {
    const auto& addresses = group.words(step.operands[0], "the address");
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        std::copy_n(group.at(step.numbers[0], addresses[lane], into.size(), lane, false), into.size(), into.begin());
    });
    group.machine().uses_atomic_results |= step.numbers[1] != 0;
}
void decode_load(Decoder&, const Instruction& at, Step& step) {
    require_plain(*at.type);
    step.numbers = {space_of(at, 0), at.numbers[0]};
    step.run = load;
}

void store(Workgroup& group, const Step& step) {
    const auto& addresses = group.words(step.operands[1], "the address");
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        const auto codes = group.codes(step.operands[0], lane);
        std::copy(codes.begin(), codes.end(), group.at(step.numbers[0], addresses[lane], codes.size(), lane, true));
    }
}
void decode_store(Decoder&, const Instruction& at, Step& step) {
    require_plain(*at.operands[0].type);
    step.numbers = {space_of(at, 1)};
    step.run = store;
}

void allocate(Workgroup& group, const Step& step) {
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        std::uint64_t& end = group.scratch_end()[lane];
        from_word(end, into);
        end += (step.numbers[0] + 15u) / 16 * 16;
    });
}

/// Sixteen lanes read a block of rows, and each gets a column: of elements of 16 or 8 bits.
void load_transposed(Workgroup& group, const Step& step) {
    const auto& addresses = group.words(step.operands[0], "the address");
    const std::uint64_t size = step.numbers[0], count = 8 / size;
    std::vector<Code> rows(std::size_t(group.lanes()) * 8);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) throw Error("not all lanes that must run this together do");
        std::copy_n(group.at(lds_space, addresses[lane], 8, lane, false), 8, rows.begin() + std::ptrdiff_t(lane) * 8);
    }
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        for (std::uint64_t j = 0; j < count; ++j) {
            const std::uint64_t i = lane % 16, from = lane - i + (16 / count) * j + i / count;
            std::ranges::copy(std::span(rows).subspan(from * 8 + i % count * size, size),
                              into.subspan(j * size).begin());
        }
    });
}
void decode_transposed(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 1);
    if (at.type->size != 8) throw Error("this intrinsic is not read");
    step.numbers = {at.what.starts_with("llvm.amdgcn.ds.read.tr16") ? 2u : 1u};
    step.run = load_transposed;
}

} // namespace

std::uint32_t space_of(const Instruction& at, std::size_t operand) {
    if (!at.operands[operand].type->is(TypeKind::pointer)) throw Error("its operand is no pointer");
    return static_cast<std::uint32_t>(at.operands[operand].type->count);
}

void require_plain(const llir::Type& type) {
    const bool has_bits =
        type.element().is(TypeKind::integer) && type.element().count % 8 != 0 && !(type.is_predicate());
    if (has_bits || type.is(TypeKind::structure) ||
        (type.is(TypeKind::vector) &&
         (type.element().is_predicate() || type.element().size != type.element().stored)) ||
        (type.is(TypeKind::array) && type.size != type.stored))
        throw Error("values of this type are not read from memory");
}

std::span<const Opcode> memory_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"load", decode_load}, {"store", decode_store}, {"alloca", decode_plain<allocate, 0>}};
    return opcodes;
}

std::span<const Opcode> memory_intrinsics() {
    static constexpr Opcode opcodes[] = {{"amdgcn.ds.read.tr16.b64", decode_transposed},
                                         {"amdgcn.ds.read.tr8.b64", decode_transposed}};
    return opcodes;
}

} // namespace discern::programs::amd
