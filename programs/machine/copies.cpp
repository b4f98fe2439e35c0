// Asynchronous copies from global to shared memory and back: of a thread's few bytes, and of boxes of a tensor. They
// happen when they are issued, and what they bring must not be read before a wait for them (waits.hpp).
#include "block.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "opcodes.hpp"

#include <algorithm>
#include <numeric>

namespace discern::programs {

namespace {

void nothing(Block&, const Step&) {}

/// cp.async: mode[0] bytes, of which operand 3 may say how many are read; the others are 0.
void copy(Block& block, const Step& step) {
    const std::uint64_t* to = block.addresses(step.operands[0]);
    const std::uint64_t* from = block.addresses(step.operands[1]);
    const std::uint64_t* size = step.mode[1] != 0 ? block.values(step.operands[3].reg(), "the size") : nullptr;
    const unsigned bytes = step.mode[0];
    for (unsigned lane = 0; lane < block.lanes(); ++lane) {
        if (!block.is_active(lane)) continue;
        const auto read =
            size == nullptr ? bytes : static_cast<unsigned>(std::min<std::uint64_t>(size[lane] & 0xffffffff, bytes));
        Code* at = block.at("shared", to[lane], bytes, lane, Access::copy);
        if (read != 0) std::copy_n(block.at("global", from[lane], read, lane, Access::read), read, at);
        std::fill(at + read, at + bytes, 0);
    }
}

/// cp.async.mbarrier.arrive: all copies so far have come. mode[0]: it counts as an arrival.
void arrive(Block& block, const Step& step) {
    const std::uint64_t* at = block.addresses(step.operands[0]);
    for (unsigned lane = 0; lane < block.lanes(); ++lane) {
        if (!block.is_active(lane)) continue;
        Mbarrier& barrier = block.mbarrier(at[lane]);
        block.waits.track_copies(lane, at[lane] & (window_size - 1));
        if (step.mode[0] != 0) barrier.pending -= 1;
        block.look_at(at[lane]);
    }
}

/// Where an element of a box lies in shared memory: 16-byte pieces of 8 rows are exchanged.
std::uint64_t swizzled(std::uint64_t address, unsigned swizzle) {
    const std::uint64_t mask = swizzle == 32 ? 1 : swizzle == 64 ? 3 : swizzle == 128 ? 7 : 0;
    return address ^ (address >> 7 & mask) << 4;
}

/// cp.async.commit_group, wait_group and wait_all. mode[0]: it commits; mode[1]: it waits; mode[2]: for all but so
/// many.
void wait_for_copies(Block& block, const Step& step) {
    for (unsigned lane = 0; lane < block.lanes(); ++lane) {
        if (!block.is_active(lane)) continue;
        if (step.mode[0] != 0) block.waits.commit_copies(lane);
        if (step.mode[1] != 0) block.waits.wait_for_copies(lane, step.mode[2]);
    }
}

/// Copies a box. What is outside of the tensor is read as 0, and not written. @return bytes
std::uint64_t copy_box(Block& block, const TensorMap& map, std::span<const std::int64_t> corner, std::uint64_t shared,
                       unsigned lane, bool loads) {
    const std::size_t dimensions = map.box.size();
    std::uint64_t count = 1;
    for (const std::uint32_t length : map.box) count *= length;
    std::vector<std::uint32_t> index(dimensions, 0);
    Buffer& buffer = block.machine().memory[map.buffer];
    buffer.is_written |= !loads;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t at = map.start;
        bool inside = true;
        for (std::size_t d = 0; d < dimensions; ++d) {
            const std::int64_t x = corner[d] + index[d];
            inside &= x >= 0 && static_cast<std::uint64_t>(x) < map.lengths[d];
            at += static_cast<std::uint64_t>(x) * map.strides[d];
        }
        Code* here = block.shared(swizzled(shared + i * map.element, map.swizzle), map.element, lane,
                                  loads ? Access::bulk_copy : Access::read);
        if (inside && loads)
            std::copy_n(buffer.codes.begin() + static_cast<std::ptrdiff_t>(at), map.element, here);
        else if (inside)
            std::copy_n(here, map.element, buffer.codes.begin() + static_cast<std::ptrdiff_t>(at));
        else if (loads)
            std::fill_n(here, map.element, 0);
        for (std::size_t d = 0; d < dimensions && ++index[d] == map.box[d]; ++d) index[d] = 0;
    }
    return count * map.element;
}

/// mode[0]: it loads, and operand 2 is the mbarrier.
void copy_tensor(Block& block, const Step& step) {
    const bool loads = step.mode[0] != 0;
    const Place& tensor = step.operands[loads ? 1 : 0];
    const std::uint64_t* shared = block.addresses(step.operands[loads ? 0 : 1]);
    const std::uint64_t* barrier = loads ? block.addresses(step.operands[2]) : nullptr;
    const std::uint64_t* map_address = block.values(tensor.reg(), "the tensor map");
    for (unsigned lane = 0; lane < block.lanes(); ++lane) {
        if (!block.is_active(lane)) continue;
        const auto map = block.machine().maps.find(map_address[lane]);
        if (map == block.machine().maps.end()) throw Error("there is no tensor map of the launch at that address");
        std::vector<std::int64_t> corner;
        for (std::size_t i = 1; i < tensor.registers.size(); ++i)
            corner.push_back(static_cast<std::int32_t>(block.values(tensor.registers[i], "the coordinate")[lane]));
        if (corner.size() != map->second.box.size())
            throw Error(
                sentence("it has ", corner.size(), " coordinates, and the tensor map has ", map->second.box.size()));
        if (loads) block.waits.begin_bulk(barrier[lane] & (window_size - 1));
        const std::uint64_t bytes = copy_box(block, map->second, corner, shared[lane], lane, loads);
        if (!loads) continue;
        block.mbarrier(barrier[lane]).bytes -= static_cast<std::int64_t>(bytes);
        block.look_at(barrier[lane]);
    }
}

void decode_tensor(const Instruction& at, Step& step) {
    if (!at.has("tensor") || at.has("reduce") || at.has_prefix("multicast") || at.has_prefix("im2col") ||
        at.has_prefix("tile::"))
        throw Error("this copy is not read");
    step.mode[0] = at.has_prefix("mbarrier");
    const std::size_t count = step.mode[0] != 0 ? 3 : 2;
    if (step.operands.size() < count) throw Error("its operands are not read");
    for (std::size_t i = 0; i < count; ++i)
        if (!step.operands[i].is_address) throw Error("its operands are not read");
    step.run = copy_tensor;
}

void decode(Decoder& decoder, const Instruction& at, Step& step) {
    if (at.parts.size() < 3 || at.parts[1] != "async") throw Error("this copy is not read");
    step.run = nothing;
    if (at.has("bulk")) {
        // Groups of bulk copies are of those to global memory, which the launch ends with.
        if (at.has("commit_group") || at.has("wait_group") || at.has("prefetch")) return;
        return decode_tensor(at, step);
    }
    if (at.has("commit_group") || at.has("wait_group") || at.has("wait_all")) {
        const bool commits = at.has("commit_group"), all = at.has("wait_all");
        step.mode = {commits || all, !commits, at.has("wait_group") ? std::uint32_t(decoder.immediate(at, 0)) : 0};
        step.run = wait_for_copies;
        return;
    }
    if (at.has("mbarrier")) {
        if (step.operands.empty()) throw Error("its mbarrier is missing");
        step.mode[0] = at.has("noinc");
        step.run = arrive;
        return;
    }
    if (step.operands.size() < 3 || !step.operands[0].is_address || !step.operands[1].is_address)
        throw Error("its operands are not read");
    step.mode[0] = static_cast<std::uint32_t>(decoder.immediate(at, 2));
    if (step.mode[0] != 4 && step.mode[0] != 8 && step.mode[0] != 16) throw Error("4, 8 or 16 bytes are copied");
    step.mode[1] = step.operands.size() > (at.has("L2::cache_hint") ? 4u : 3u);
    step.run = copy;
}

} // namespace

std::span<const Opcode> tensor_map_opcodes() {
    static constexpr Opcode opcodes[] = {{"cp", decode}};
    return opcodes;
}

} // namespace discern::programs
