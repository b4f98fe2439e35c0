// Atomic operations. They happen lane after lane, in an order that is not the kernel's.
#include "accesses.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::programs::amd {

namespace {

using llir::Instruction;
using TypeKind = llir::Type::Kind;

struct AtomicRow {
    std::string_view name;
    std::uint64_t (*of)(std::uint64_t, std::uint64_t, unsigned bits); ///< nothing of sums of numbers
};
constexpr AtomicRow atomic_rows[] = {
    {"fadd", nullptr},
    {"xchg", [](std::uint64_t, std::uint64_t y, unsigned) { return y; }},
    {"add", [](std::uint64_t x, std::uint64_t y, unsigned) { return x + y; }},
    {"sub", [](std::uint64_t x, std::uint64_t y, unsigned) { return x - y; }},
    {"and", [](std::uint64_t x, std::uint64_t y, unsigned) { return x & y; }},
    {"or", [](std::uint64_t x, std::uint64_t y, unsigned) { return x | y; }},
    {"xor", [](std::uint64_t x, std::uint64_t y, unsigned) { return x ^ y; }},
    {"max",
     [](std::uint64_t x, std::uint64_t y, unsigned bits) { return with_sign(x, bits) > with_sign(y, bits) ? x : y; }},
    {"min",
     [](std::uint64_t x, std::uint64_t y, unsigned bits) { return with_sign(x, bits) < with_sign(y, bits) ? x : y; }},
    {"umax", [](std::uint64_t x, std::uint64_t y, unsigned) { return std::max(x, y); }},
    {"umin", [](std::uint64_t x, std::uint64_t y, unsigned) { return std::min(x, y); }},
};

/// What is in memory and what is combined with it, in one lane.
void combine(Workgroup& group, const Step& step, std::span<Code> at, std::span<const Code> given) {
    const AtomicRow& row = *static_cast<const AtomicRow*>(step.rule);
    if (row.of == nullptr) {
        const std::size_t size = step.numbers[1];
        for (std::size_t i = 0; i < at.size(); i += size) {
            const NodeId arguments[2] = {group.graph().of_codes(at.subspan(i, size)),
                                         group.graph().of_codes(given.subspan(i, size))};
            group.graph().to_codes(group.apply(step.operations[0], size, arguments), at.subspan(i, size));
        }
        return;
    }
    if (row.name == "xchg") {
        std::copy(given.begin(), given.end(), at.begin());
        return;
    }
    std::uint64_t x = 0, y = 0;
    if (!to_word(at, x) || !to_word(given, y)) throw Error("an atomic operation on data");
    from_word(row.of(x, y, static_cast<unsigned>(8 * at.size())), at);
}

/// Lane after lane. Numbers: the space, bytes of a number, and whether what was there is read; the space of buffers is
/// 8, whose operands are the value, the descriptor and two offsets.
void atomic(Workgroup& group, const Step& step) {
    const bool is_buffer = step.numbers[0] == buffer_space;
    const std::uint32_t value = step.operands[is_buffer ? 0 : 1];
    const std::uint64_t size = group.bytes(value);
    std::vector<Place> places(group.lanes());
    if (is_buffer) {
        places = buffer_places(group, step, 1, 2, size);
    } else {
        const auto& addresses = group.words(step.operands[0], "the address");
        for (unsigned lane = 0; lane < group.lanes(); ++lane) places[lane] = {addresses[lane], true};
    }
    std::vector<Code> old(size * group.lanes(), 0);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane) || !places[lane].inside) continue;
        const std::uint64_t space = is_buffer ? global_space : step.numbers[0];
        const std::span<Code> at(group.at(space, places[lane].address, size, lane, true), size);
        std::copy(at.begin(), at.end(), old.begin() + static_cast<std::ptrdiff_t>(lane * size));
        combine(group, step, at, group.codes(value, lane));
    }
    group.room(step.result) = old;
    group.put(step.result);
    group.machine().uses_atomic_results |= step.numbers[2] != 0;
}

/// @param value  which operand is combined with what is there @param space  of the address
void decode_row(Decoder& decoder, const Instruction& at, Step& step, std::string_view name, std::size_t value,
                std::uint32_t space) {
    const auto row = std::find_if(std::begin(atomic_rows), std::end(atomic_rows),
                                  [&](const AtomicRow& r) { return r.name == name; });
    const llir::Type& type = *at.operands[value].type;
    const bool is_number = type.element().is(TypeKind::floating);
    if (row == std::end(atomic_rows) || type.size > 8 || at.operands[value].type != at.type ||
        (is_number != (name == "fadd") && name != "xchg"))
        throw Error("this atomic operation is not read");
    step.rule = &*row;
    step.numbers = {space, static_cast<std::uint32_t>(type.element().size), decoder.is_read(at.result)};
    step.operations = {decoder.own_function(sentence("atom.add.", type.element().name))};
    step.run = atomic;
}

void decode_atomic(Decoder& decoder, const Instruction& at, Step& step) {
    require_operands(at, 2);
    step.operands.resize(2);
    decode_row(decoder, at, step, at.name == "call" ? "fadd" : at.what, 1, space_of(at, 0));
}

/// amdgcn.raw.ptr.buffer.atomic.fadd.f32
void decode_buffer_atomic(Decoder& decoder, const Instruction& at, Step& step) {
    require_operands(at, 5);
    std::string_view name = at.what.substr(std::string_view("llvm.amdgcn.raw.ptr.buffer.atomic.").size());
    step.operands.resize(4);
    decode_row(decoder, at, step, name.substr(0, name.find('.')), 0, buffer_space);
}

} // namespace

std::span<const Opcode> atomic_opcodes() {
    static constexpr Opcode opcodes[] = {{"atomicrmw", decode_atomic}};
    return opcodes;
}

std::span<const Opcode> atomic_intrinsics() {
    static constexpr Opcode opcodes[] = {{"amdgcn.global.atomic.fadd", decode_atomic},
                                         {"amdgcn.flat.atomic.fadd", decode_atomic},
                                         {"amdgcn.raw.ptr.buffer.atomic", decode_buffer_atomic}};
    return opcodes;
}

} // namespace discern::programs::amd
