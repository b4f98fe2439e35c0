// Asynchronous copies of a thread's few bytes from global to shared memory. They happen when they are issued, and what
// they bring must not be read before a wait for them (waits.hpp).
#include "block.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "opcodes.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

/// cp.async: mode[0] bytes, of which operand 3 may say how many are read, or, as a predicate, that none is; the others
/// are 0. mode[1]: that operand is there; mode[2]: it is a predicate.
void copy(Block& block, const Step& step) {
    const std::uint64_t* to = block.addresses(step.operands[0]);
    const std::uint64_t* from = block.addresses(step.operands[1]);
    const std::uint64_t* size = step.mode[1] != 0 ? block.values(step.operands[3].reg(), "the size") : nullptr;
    const unsigned bytes = step.mode[0];
    block.each_lane([&](unsigned lane) {
        const auto said = [&] {
            return static_cast<unsigned>(std::min<std::uint64_t>(size[lane] & 0xffffffff, bytes));
        };
        const bool ignores = step.mode[2] != 0 && (size[lane] != 0) != step.operands[3].is_negated;
        const unsigned read = size == nullptr ? bytes : step.mode[2] == 0 ? said() : ignores ? 0 : bytes;
        Code* at = block.at("shared", to[lane], bytes, lane, Access::copy);
        if (read != 0) std::copy_n(block.at("global", from[lane], read, lane, Access::read), read, at);
        std::fill(at + read, at + bytes, 0);
    });
}

/// cp.async.mbarrier.arrive: all copies so far have come. mode[0]: it counts as an arrival.
void arrive_after_copies(Block& block, const Step& step) {
    const std::uint64_t* at = block.addresses(step.operands[0]);
    block.each_lane([&](unsigned lane) {
        Mbarrier& barrier = block.mbarrier(at[lane]);
        block.waits.track_copies(lane, at[lane] & (window_size - 1));
        if (step.mode[0] != 0) barrier.pending -= 1;
        block.look_at(at[lane]);
    });
}

/// cp.async.commit_group, wait_group and wait_all. mode[0]: it commits; mode[1]: it waits; mode[2]: for all but so
/// many.
void wait_for_copies(Block& block, const Step& step) {
    block.each_lane([&](unsigned lane) {
        if (step.mode[0] != 0) block.waits.commit_copies(lane);
        if (step.mode[1] != 0) block.waits.wait_for_copies(lane, step.mode[2]);
    });
}

void decode_copy(Decoder& decoder, const Instruction& at, Step& step) {
    if (at.parts.size() < 3 || at.parts[1] != "async") throw Error("this copy is not read");
    if (at.has("bulk")) return decode_bulk_copy(at, step);
    if (at.has("commit_group") || at.has("wait_group") || at.has("wait_all")) {
        const bool commits = at.has("commit_group"), all = at.has("wait_all");
        step.mode = {commits || all, !commits, at.has("wait_group") ? std::uint32_t(decoder.immediate(at, 0)) : 0};
        step.run = wait_for_copies;
        return;
    }
    if (at.has("mbarrier")) {
        if (step.operands.empty()) throw Error("its mbarrier is missing");
        step.mode[0] = at.has("noinc");
        step.run = arrive_after_copies;
        return;
    }
    if (step.operands.size() < 3 || !step.operands[0].is_address || !step.operands[1].is_address)
        throw Error("its operands are not read");
    step.mode[0] = static_cast<std::uint32_t>(decoder.immediate(at, 2));
    if (step.mode[0] != 4 && step.mode[0] != 8 && step.mode[0] != 16) throw Error("4, 8 or 16 bytes are copied");
    step.mode[1] = step.operands.size() > (at.has("L2::cache_hint") ? 4u : 3u);
    step.mode[2] = step.mode[1] != 0 && decoder.is_predicate(step.operands[3].reg());
    step.run = copy;
}

} // namespace

std::span<const Opcode> tensor_map_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"cp", decode_copy,
         "async ca cg global shared* L2::* commit_group wait_group wait_all mbarrier* arrive noinc bulk bulk_group "
         "read "
         "prefetch tensor 1d 2d 3d 4d 5d tile multicast::cluster"},
    };
    return opcodes;
}

} // namespace discern::programs
