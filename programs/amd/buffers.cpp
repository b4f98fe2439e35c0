// Buffers, whose descriptors end a range behind which loads give 0 and stores do nothing, and copies to LDS.
#include "accesses.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::programs::amd {

namespace {

using llir::Instruction;

/// Descriptors as the hardware has them: 48 bits of an address, 14 of a stride, 32 of a length.
void make_descriptor(Workgroup& group, const Step& step) {
    const auto &base = group.words(step.operands[0], "the address"),
               &stride = group.words(step.operands[1], "the stride"),
               &length = group.words(step.operands[2], "the length of a buffer");
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        if (stride[lane] != 0) throw Error("buffers with a stride are not read");
        if (length[lane] >> 32 != 0) throw Error("a buffer is longer than 4 GiB");
        from_word(base[lane], into.first(8));
        from_word(length[lane], into.last(8));
    });
}
void decode_descriptor(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 4);
    if (at.type->size != 16) throw Error("this intrinsic is not read");
    step.operands.resize(3);
    step.run = make_descriptor;
}

/// Whether the last operand of a buffer's instruction, its policy of caches, changes addresses.
void require_policy(const Instruction& at, std::size_t operand) {
    if ((constant(at, operand) & 0x80000000u) != 0) throw Error("volatile accesses of buffers are not read");
}

void buffer_load(Workgroup& group, const Step& step) {
    const auto places = buffer_places(group, step, 0, 1, group.bytes(step.result));
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        if (places[lane].inside)
            std::copy_n(group.at(global_space, places[lane].address, into.size(), lane, false), into.size(),
                        into.begin());
        else
            std::ranges::fill(into, 0);
    });
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
    std::uint64_t at = 0;
    if (!to_word(group.codes(step.operands[base], group.leader(lane)), at))
        throw Error("the address in LDS depends on data");
    at += offset + (lane - group.first_of_wave(lane)) * size;
    std::copy(codes.begin(), codes.end(), group.at(lds_space, at, size, lane, true));
}

/// Numbers: bytes, and what is added to both addresses.
void load_to_lds(Workgroup& group, const Step& step) {
    const std::vector<std::uint64_t> addresses = group.words(step.operands[0], "the address");
    const std::uint64_t size = step.numbers[0], offset = step.numbers[1];
    for (unsigned lane = 0; lane < group.lanes(); ++lane)
        if (group.is_active(lane))
            write_lds(group, step, 1, size, offset, lane,
                      {group.at(step.numbers[2], addresses[lane] + offset, size, lane, false),
                       static_cast<std::size_t>(size)});
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
            codes = {group.at(global_space, places[lane].address + offset, size, lane, false),
                     static_cast<std::size_t>(size)};
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

} // namespace

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

std::span<const Opcode> buffer_intrinsics() {
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
    };
    return opcodes;
}

} // namespace discern::programs::amd
