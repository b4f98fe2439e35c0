// Bulk copies, which one thread issues: of boxes of a tensor, and of bytes in a row. Those to shared memory complete
// with an mbarrier, and may go to several blocks of a cluster at once: to the same place of each, and with the mbarrier
// at the same place of each. They happen when they are issued, and what they bring must not be read before a wait for
// them (waits.hpp).
#include "block.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "opcodes.hpp"

#include <algorithm>
#include <optional>

namespace discern::programs {

namespace {

using LaneValues = std::vector<std::uint64_t>;

/// The values of a register in all lanes: a copy, since there are more than the block has rooms for.
LaneValues lane_values(const Block& block, const std::uint64_t* values) { return {values, values + block.lanes()}; }

/// Where what shared memory is copied to completes, and in which blocks.
class Destination {
  public:
    /// @param barrier  the operand of the mbarrier; the next one is the mask, if mode[1] says that there is one
    Destination(Block& block, const Step& step, std::size_t barrier)
        : block_(block), barriers_(lane_values(block, block.addresses(step.operands[barrier]))) {
        if (step.mode[1] != 0) masks_ = lane_values(block, block.values(step.operands[barrier + 1].reg(), "the mask"));
    }

    /// @param copy  copies to an address, and returns how many bytes
    template <typename Copy>
    void each(unsigned lane, std::uint64_t to, const Copy& copy) {
        const auto once = [&](std::uint64_t address, std::uint64_t barrier) {
            block_.waits.begin_bulk(barrier & (window_size - 1));
            block_.mbarrier(barrier).bytes -= static_cast<std::int64_t>(copy(address));
            block_.look_at(barrier);
        };
        if (masks_.empty()) return once(to, barriers_[lane]);
        const std::uint64_t mask = masks_[lane] & 0xffff;
        if (mask >> block_.ranks() != 0)
            throw Error(sentence("its mask ", mask, " has more blocks than a cluster of ", block_.ranks()));
        for (unsigned rank = 0; rank < block_.ranks(); ++rank)
            if ((mask >> rank & 1) != 0) once(with_rank(to, rank), with_rank(barriers_[lane], rank));
    }

  private:
    Block& block_;
    LaneValues barriers_, masks_;
};

/// Where an element of a box lies in shared memory: 16-byte pieces of 8 rows are exchanged.
std::uint64_t swizzled(std::uint64_t address, unsigned swizzle) {
    const std::uint64_t mask = swizzle == 32 ? 1 : swizzle == 64 ? 3 : swizzle == 128 ? 7 : 0;
    return address ^ (address >> 7 & mask) << 4;
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

/// mode[0]: it loads, and operand 2 is the mbarrier; mode[1]: operand 3 says to which blocks.
void copy_tensor(Block& block, const Step& step) {
    const bool loads = step.mode[0] != 0;
    const Place& tensor = step.operands[loads ? 1 : 0];
    const LaneValues shared = lane_values(block, block.addresses(step.operands[loads ? 0 : 1]));
    const LaneValues maps = lane_values(block, block.values(tensor.reg(), "the tensor map"));
    std::vector<LaneValues> coordinates;
    for (std::size_t i = 1; i < tensor.registers.size(); ++i)
        coordinates.push_back(lane_values(block, block.values(tensor.registers[i], "the coordinate")));
    std::optional<Destination> destination;
    if (loads) destination.emplace(block, step, 2);
    block.each_lane([&](unsigned lane) {
        const auto map = block.machine().maps.find(maps[lane]);
        if (map == block.machine().maps.end()) throw Error("there is no tensor map of the launch at that address");
        if (coordinates.size() != map->second.box.size())
            throw Error(sentence("it has ", coordinates.size(), " coordinates, and the tensor map has ",
                                 map->second.box.size()));
        std::vector<std::int64_t> corner;
        for (const LaneValues& each : coordinates) corner.push_back(static_cast<std::int32_t>(each[lane]));
        const auto copy = [&](std::uint64_t at) { return copy_box(block, map->second, corner, at, lane, loads); };
        if (loads)
            destination->each(lane, shared[lane], copy);
        else
            copy(shared[lane]);
    });
}

/// Bytes in a row. mode[0]: to shared memory, and operand 3 is the mbarrier; mode[1]: operand 4 says to which blocks;
/// mode[2]: from shared memory.
void copy_row(Block& block, const Step& step) {
    const bool loads = step.mode[0] != 0;
    const LaneValues to = lane_values(block, block.addresses(step.operands[0])),
                     from = lane_values(block, block.addresses(step.operands[1])),
                     sizes = lane_values(block, block.values(step.operands[2].reg(), "the size"));
    std::optional<Destination> destination;
    if (loads) destination.emplace(block, step, 3);
    block.each_lane([&](unsigned lane) {
        const std::uint64_t size = sizes[lane] & 0xffffffff;
        if (size == 0 || size % 16 != 0) throw Error("multiples of 16 bytes are copied");
        const Code* source = block.at(step.mode[2] != 0 ? "shared" : "global", from[lane], size, lane, Access::read);
        const std::vector<Code> codes(source, source + size);
        const auto copy = [&](std::uint64_t at) {
            std::copy(codes.begin(), codes.end(),
                      block.at(loads ? "shared" : "global", at, size, lane, loads ? Access::bulk_copy : Access::write));
            return size;
        };
        if (loads)
            destination->each(lane, to[lane], copy);
        else
            copy(to[lane]);
    });
}

/// A thread's bytes, that complete with the mbarrier of operand 2. type: of an element.
void store_async(Block& block, const Step& step) {
    const LaneValues to = lane_values(block, block.addresses(step.operands[0]));
    const unsigned size = step.type.bytes;
    Destination destination(block, step, 2);
    block.each_lane([&](unsigned lane) {
        destination.each(lane, to[lane], [&](std::uint64_t at) {
            const auto& registers = step.operands[1].registers;
            Code* into = block.shared(at, size * registers.size(), lane, Access::bulk_copy);
            for (std::size_t i = 0; i < registers.size(); ++i) block.codes(registers[i], lane, {into + i * size, size});
            return size * registers.size();
        });
    });
}

} // namespace

void decode_bulk_copy(const Instruction& at, Step& step) {
    step.run = nothing;
    // Groups of bulk copies are of those to global memory, which the launch ends with.
    if (at.has("commit_group") || at.has("wait_group") || at.has("prefetch")) return;
    const auto is_space = [](std::string_view part) { return part == "global" || part.starts_with("shared"); };
    const auto to = std::find_if(at.parts.begin(), at.parts.end(), is_space);
    const bool loads = at.has_prefix("mbarrier"), is_tensor = at.has("tensor");
    if (at.parts.end() - to < 2 || !is_space(to[1]) || (*to == "global") == loads || (*to == "global" && to[1] == *to))
        throw Error("this copy is not read");
    step.mode = {loads, at.has_prefix("multicast"), to[1] != "global"};
    const std::size_t barrier = is_tensor ? 2 : 3;
    if (step.operands.size() < barrier + step.mode[0] + step.mode[1]) throw Error("its operands are not read");
    for (std::size_t i = 0; i <= barrier; ++i)
        if ((i < 2 || (i == barrier && step.mode[0] != 0)) != (i < step.operands.size() && step.operands[i].is_address))
            throw Error("its operands are not read");
    step.run = is_tensor ? copy_tensor : copy_row;
}

void decode_async_store(Decoder& decoder, const Instruction& at, Step& step) {
    step.type = decoder.type(at, 0);
    if (!at.has_prefix("mbarrier") || step.operands.size() < 3 || !step.operands[0].is_address ||
        step.operands[1].is_address || !step.operands[2].is_address || step.type.bytes == 0)
        throw Error("its operands are not read");
    step.run = store_async;
}

} // namespace discern::programs
