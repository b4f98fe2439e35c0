// Loads, stores and atomic operations; buffers, whose descriptors end a range behind which loads give 0; copies from
// global memory to LDS, and loads from LDS that transpose.
#include "elements.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::programs::amd {

namespace {

using llir::Instruction;
using Kind = llir::Type::Kind;

/// Whether a value's bytes in memory are those that it has otherwise.
void require_plain(const llir::Type& type) {
    const bool has_bits = type.element().is(Kind::integer) && type.element().count % 8 != 0 && !(type.is_predicate());
    if (has_bits || type.is(Kind::structure) ||
        (type.is(Kind::vector) && (type.element().is_predicate() || type.element().size != type.element().stored)) ||
        (type.is(Kind::array) && type.size != type.stored))
        throw Error("values of this type are not read from memory");
}

void load(Workgroup& group, const Step& step) {
    const auto& addresses = group.words(step.operands[0], "the address");
    std::vector<Code>& room = group.room(step.result);
    const std::uint64_t size = group.bytes(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane)
        if (group.is_active(lane))
            std::copy_n(group.at(step.numbers[0], addresses[lane], size, lane, false), size,
                        room.begin() + static_cast<std::ptrdiff_t>(lane * size));
    group.put(step.result);
    group.machine().uses_atomic_results |= step.numbers[1] != 0;
}
void decode_load(Decoder&, const Instruction& at, Step& step) {
    require_plain(*at.type);
    if (!at.operands[0].type->is(Kind::pointer)) throw Error("its operand is no pointer");
    step.numbers = {static_cast<std::uint32_t>(at.operands[0].type->count), at.numbers[0]};
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
    if (!at.operands[1].type->is(Kind::pointer)) throw Error("its operand is no pointer");
    step.numbers = {static_cast<std::uint32_t>(at.operands[1].type->count)};
    step.run = store;
}

struct AtomicRow {
    std::string_view name;
    std::uint64_t (*of)(std::uint64_t, std::uint64_t, unsigned bits); ///< nothing of sums of numbers
};
std::int64_t with_sign(std::uint64_t x, unsigned bits) {
    return static_cast<std::int64_t>(x << (64 - bits)) >> (64 - bits);
}
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
            group.graph().to_codes(group.apply(step.operations[0], static_cast<unsigned>(size), arguments),
                                   at.subspan(i, size));
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

/// Lane after lane. Numbers: the space, and bytes of a number.
void atomic(Workgroup& group, const Step& step) {
    const auto& addresses = group.words(step.operands[0], "the address");
    std::vector<Code> old;
    const std::uint64_t size = group.bytes(step.operands[1]);
    old.resize(size * group.lanes(), unwritten_byte);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        const std::span<Code> at(group.at(step.numbers[0], addresses[lane], size, lane, true), size);
        std::copy(at.begin(), at.end(), old.begin() + static_cast<std::ptrdiff_t>(lane * size));
        combine(group, step, at, group.codes(step.operands[1], lane));
    }
    group.room(step.result) = old;
    group.put(step.result);
    group.machine().uses_atomic_results |= step.numbers[2] != 0;
}
void decode_atomic(Decoder& decoder, const Instruction& at, Step& step) {
    require_operands(at, 2);
    const bool is_call = at.name == "call";
    const std::string_view name = is_call ? "fadd" : at.what;
    const auto row = std::find_if(std::begin(atomic_rows), std::end(atomic_rows),
                                  [&](const AtomicRow& r) { return r.name == name; });
    const llir::Type& type = *at.operands[1].type;
    if (row == std::end(atomic_rows) || type.size > 8 || at.operands[1].type != at.type ||
        !at.operands[0].type->is(Kind::pointer) ||
        type.element().is(Kind::floating) != (name == "fadd" || name == "xchg"))
        if (row == std::end(atomic_rows) || name != "xchg" || type.size > 8)
            throw Error("this atomic operation is not read");
    step.operands.resize(2);
    step.rule = &*row;
    step.numbers = {static_cast<std::uint32_t>(at.operands[0].type->count),
                    static_cast<std::uint32_t>(type.element().size), decoder.is_read(at.result)};
    step.operations = {decoder.own_function(sentence("atom.add.", type.element().name))};
    step.run = atomic;
}

void allocate(Workgroup& group, const Step& step) {
    std::vector<Code>& room = group.room(step.result);
    const std::uint64_t size = group.bytes(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        std::uint64_t& end = group.scratch_end()[lane];
        from_word(end, std::span(room).subspan(lane * size, size));
        end += (step.numbers[0] + 15u) / 16 * 16;
    }
    group.put(step.result);
}
void decode_allocate(Decoder&, const Instruction& at, Step& step) {
    step.numbers = at.numbers;
    step.run = allocate;
}

/// Descriptors as the hardware has them: 48 bits of an address, 14 of a stride, 32 of a length.
void make_descriptor(Workgroup& group, const Step& step) {
    const auto &base = group.words(step.operands[0], "the address"),
               &stride = group.words(step.operands[1], "the stride"),
               &length = group.words(step.operands[2], "the length of a buffer");
    std::vector<Code>& room = group.room(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        if (stride[lane] != 0) throw Error("buffers with a stride are not read");
        if (length[lane] >> 32 != 0) throw Error("a buffer is longer than 4 GiB");
        from_word(base[lane], std::span(room).subspan(lane * 16, 8));
        from_word(length[lane], std::span(room).subspan(lane * 16 + 8, 8));
    }
    group.put(step.result);
}
void decode_descriptor(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 4);
    if (at.type->size != 16) throw Error("this intrinsic is not read");
    step.operands.resize(3);
    step.run = make_descriptor;
}

/// Where each lane reads or writes; nothing where that is behind the buffer's end.
struct Place {
    std::uint64_t address = 0;
    bool inside = false;
};
std::vector<Place> buffer_places(Workgroup& group, const Step& step, std::size_t descriptor, std::size_t offsets,
                                 std::uint64_t size) {
    const auto &own = group.words(step.operands[offsets], "the offset"),
               &common = group.words(step.operands[offsets + 1], "the offset");
    std::vector<Place> places(group.lanes());
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        std::uint64_t low = 0, high = 0;
        const auto codes = group.codes(step.operands[descriptor], lane);
        if (codes.size() != 16 || !to_word(codes.first(8), low) || !to_word(codes.subspan(8, 8), high))
            throw Error("the descriptor of a buffer depends on data");
        if ((low >> 48 & 0x3fff) != 0) throw Error("buffers with a stride are not read");
        const std::uint64_t length = high & 0xffffffff, at = (own[lane] & 0xffffffff) + (common[lane] & 0xffffffff);
        if (at < length && length - at < size) throw Error("an access goes over the end of a buffer");
        places[lane] = {(low & 0xffffffffffff) + at, at < length};
    }
    return places;
}

/// Whether the last operand of a buffer's instruction, its policy of caches, changes addresses.
void require_policy(const Instruction& at, std::size_t operand) {
    if ((constant(at, operand) & 0x80000000u) != 0) throw Error("volatile accesses of buffers are not read");
}

void buffer_load(Workgroup& group, const Step& step) {
    const std::uint64_t size = group.bytes(step.result);
    const auto places = buffer_places(group, step, 0, 1, size);
    std::vector<Code>& room = group.room(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        const auto into = room.begin() + static_cast<std::ptrdiff_t>(lane * size);
        if (places[lane].inside)
            std::copy_n(group.at(global_space, places[lane].address, size, lane, false), size, into);
        else
            std::fill_n(into, size, 0);
    }
    group.put(step.result);
}
void decode_buffer_load(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 4);
    require_plain(*at.type);
    require_policy(at, 3);
    step.run = buffer_load;
}

void buffer_store(Workgroup& group, const Step& step) {
    const std::uint64_t size = group.bytes(step.operands[0]);
    const auto places = buffer_places(group, step, 1, 2, size);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane) || !places[lane].inside) continue;
        const auto codes = group.codes(step.operands[0], lane);
        std::copy(codes.begin(), codes.end(), group.at(global_space, places[lane].address, size, lane, true));
    }
}
void decode_buffer_store(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 5);
    require_plain(*at.operands[0].type);
    require_policy(at, 4);
    step.run = buffer_store;
}

/// To LDS: the wave's base is that of its first lane, and each lane writes behind the one before it.
void write_lds(Workgroup& group, const Step& step, std::size_t base, std::uint64_t size, std::uint64_t offset,
               unsigned lane, std::span<const Code> codes) {
    const unsigned first = lane / group.wave() * group.wave();
    unsigned leader = first;
    while (!group.is_active(leader)) ++leader;
    std::uint64_t at = 0;
    if (!to_word(group.codes(step.operands[base], leader), at)) throw Error("the address in LDS depends on data");
    std::copy(codes.begin(), codes.end(), group.at(lds_space, at + offset + (lane - first) * size, size, lane, true));
}

/// Numbers: bytes, and what is added to both addresses.
void load_to_lds(Workgroup& group, const Step& step) {
    const std::vector<std::uint64_t> addresses = group.words(step.operands[0], "the address");
    const std::uint64_t size = step.numbers[0], offset = step.numbers[1];
    for (unsigned lane = 0; lane < group.lanes(); ++lane)
        if (group.is_active(lane))
            write_lds(group, step, 1, size, offset, lane,
                      {group.at(step.numbers[2], addresses[lane] + offset, size, lane, false), size});
}
void require_copy(std::uint64_t size) {
    if (size != 1 && size != 2 && size != 4 && size != 12 && size != 16)
        throw Error(sentence("copies of ", size, " bytes are not read"));
}
void decode_load_to_lds(Decoder&, const Instruction& at, Step& step) {
    step.numbers = {constant(at, 2), constant(at, 3), static_cast<std::uint32_t>(at.operands[0].type->count)};
    require_copy(step.numbers[0]);
    step.run = load_to_lds;
}

void buffer_to_lds(Workgroup& group, const Step& step) {
    const std::uint64_t size = step.numbers[0], offset = step.numbers[1];
    const auto places = buffer_places(group, step, 0, 3, size);
    const std::vector<Code> zeros(size, 0);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        std::span<const Code> codes = zeros;
        if (places[lane].inside)
            codes = {group.at(global_space, places[lane].address + offset, size, lane, false), size};
        write_lds(group, step, 1, size, offset, lane, codes);
    }
}
void decode_buffer_to_lds(Decoder&, const Instruction& at, Step& step) {
    step.numbers = {constant(at, 2), constant(at, 5)};
    if (step.numbers[1] != 0) throw Error("an offset that is part of the instruction is not read");
    require_policy(at, 6);
    require_copy(step.numbers[0]);
    step.run = buffer_to_lds;
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
    std::vector<Code>& room = group.room(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane)
        for (std::uint64_t j = 0; j < count; ++j) {
            const std::uint64_t i = lane % 16, from = lane - i + (16 / count) * j + i / count;
            std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(from * 8 + i % count * size), size,
                        room.begin() + static_cast<std::ptrdiff_t>(lane * 8 + j * size));
        }
    group.put(step.result);
}
void decode_transposed(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 1);
    if (at.type->size != 8) throw Error("this intrinsic is not read");
    step.numbers = {at.what.starts_with("llvm.amdgcn.ds.read.tr16") ? 2u : 1u};
    step.run = load_transposed;
}

} // namespace

std::span<const Opcode> memory_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"load", decode_load}, {"store", decode_store}, {"atomicrmw", decode_atomic}, {"alloca", decode_allocate}};
    return opcodes;
}

std::span<const Opcode> memory_intrinsics() {
    static constexpr Opcode opcodes[] = {
        {"amdgcn.make.buffer.rsrc", decode_descriptor},
        {"amdgcn.raw.ptr.buffer.load", decode_buffer_load},
        {"amdgcn.raw.buffer.load", decode_buffer_load},
        {"amdgcn.raw.ptr.buffer.store", decode_buffer_store},
        {"amdgcn.raw.buffer.store", decode_buffer_store},
        {"amdgcn.raw.ptr.buffer.load.lds", decode_buffer_to_lds},
        {"amdgcn.raw.ptr.buffer.load.async.lds", decode_buffer_to_lds},
        {"amdgcn.global.load.lds", decode_load_to_lds},
        {"amdgcn.global.load.async.lds", decode_load_to_lds},
        {"amdgcn.load.to.lds", decode_load_to_lds},
        {"amdgcn.load.async.to.lds", decode_load_to_lds},
        {"amdgcn.global.atomic.fadd", decode_atomic},
        {"amdgcn.flat.atomic.fadd", decode_atomic},
        {"amdgcn.ds.read.tr16.b64", decode_transposed},
        {"amdgcn.ds.read.tr8.b64", decode_transposed},
    };
    return opcodes;
}

} // namespace discern::programs::amd
