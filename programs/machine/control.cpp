// Branches, barriers, mbarriers, and instructions that say something about time and not about values.
#include "block.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "opcodes.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

constexpr auto decode_nothing = decode_plain<nothing, 0>;

void decode_branch(Decoder&, const Instruction& at, Step& step) {
    step.control = at.parts[0] == "brx" ? Control::table : Control::branch;
    if (at.operands.empty() || at.operands.back().atoms.size() != 1 ||
        at.operands.back().atoms[0].kind != Atom::Kind::label)
        throw Error("its label is missing");
    if (step.control == Control::table && step.operands.empty()) throw Error("its index is missing");
    step.mode[0] = at.operands.back().atoms[0].index;
}
void decode_end(Decoder&, const Instruction&, Step& step) { step.control = Control::end; }

/// mode[0]: what threads have written is told to those that wait.
void arrive_at_cluster(Block& block, const Step& step) { block.arrive_at_cluster(step.mode[0] != 0); }
void wait_for_cluster(Block& block, const Step&) { block.wait_for_cluster(); }

void decode_barrier(Decoder&, const Instruction& at, Step& step) {
    if (at.has("warp")) {
        step.run = nothing;
        return;
    }
    if (at.has("cluster")) {
        if (at.has("arrive") == at.has("wait")) throw Error("of barrier.cluster arrive and wait are read");
        step.run = at.has("arrive") ? arrive_at_cluster : wait_for_cluster;
        step.mode[0] = !at.has("relaxed");
        return;
    }
    step.control = Control::barrier;
    if (at.has("sync")) return;
    if (!at.has("red")) throw Error("of barriers only sync and red are read");
    static constexpr std::pair<std::string_view, Reduction> reductions[] = {
        {"and", Reduction::all}, {"or", Reduction::any}, {"popc", Reduction::count}};
    for (const auto& [name, what] : reductions)
        if (at.has(name)) step.mode[0] = static_cast<std::uint32_t>(what);
    if (step.mode[0] == 0 || step.operands.size() < 3) throw Error("its reduction, or an operand, is missing");
}

void initialise(Block& block, const Step& step) {
    const std::uint64_t* at = block.addresses(step.operands[0]);
    const std::uint64_t* count = block.values(step.operands[1].reg(), "the count");
    block.each_lane([&](unsigned lane) {
        const auto threads = static_cast<std::int64_t>(count[lane] & 0xfffff);
        block.mbarriers[at[lane] & (window_size - 1)] = {.count = threads, .pending = threads};
    });
}

/// mode[0]: it arrives; mode[1]: it expects bytes, which operand mode[3] has; mode[2]: the operand of the address.
void arrive(Block& block, const Step& step) {
    const std::uint64_t* at = block.addresses(step.operands[step.mode[2]]);
    const std::uint64_t* number = step.operands.size() > step.mode[2] + 1
                                      ? block.values(step.operands[step.mode[2] + 1].reg(), "the number")
                                      : nullptr;
    std::uint64_t phases[most_threads] = {};
    block.each_lane([&](unsigned lane) {
        Mbarrier& barrier = block.mbarrier(at[lane]);
        phases[lane] = barrier.phase;
        if (step.mode[1] != 0 && number == nullptr) throw Error("the bytes that it expects are missing");
        if (step.mode[1] != 0) barrier.bytes += static_cast<std::int64_t>(number[lane] & 0xffffffff);
        if (step.mode[0] != 0) {
            barrier.pending -=
                step.mode[1] != 0 || number == nullptr ? 1 : static_cast<std::int64_t>(number[lane] & 0xfffff);
            block.waits.arrive(lane, at[lane] & (window_size - 1));
        }
        block.look_at(at[lane]);
    });
    // The state that it returns is the phase in which it came, for which a wait may ask.
    if (step.mode[2] != 0) block.put(step.operands[0].reg(), phases);
}

/// complete_tx: so many bytes have come.
void complete(Block& block, const Step& step) {
    const std::uint64_t* at = block.addresses(step.operands[0]);
    const std::uint64_t* bytes = block.values(step.operands[1].reg(), "the number");
    block.each_lane([&](unsigned lane) {
        block.mbarrier(at[lane]).bytes -= static_cast<std::int64_t>(bytes[lane] & 0xffffffff);
        block.look_at(at[lane]);
    });
}

void wait_for_phase(Block& block, const Step& step) {
    const std::uint64_t* at = block.addresses(step.operands[1]);
    const std::uint64_t* phase = block.values(step.operands[2].reg(), "the phase");
    bool all_done = true;
    block.put_each(step.operands[0].reg(), [&](unsigned lane) {
        const bool is_done = block.mbarrier(at[lane]).phase != ((phase[lane] & 1) != 0);
        if (is_done) block.waits.has_waited(lane, at[lane] & (window_size - 1));
        all_done &= is_done;
        return is_done;
    });
    if (!all_done) block.stall();
}

void decode_mbarrier(Decoder&, const Instruction& at, Step& step) {
    if (at.has("inval")) {
        step.run = nothing;
        return;
    }
    if (at.has("init")) {
        require_operands(step, 2);
        step.run = initialise;
    } else if (at.has("complete_tx")) {
        require_operands(step, 2);
        step.run = complete;
    } else if (at.has("arrive") || at.has("expect_tx")) {
        require_operands(step, 1);
        step.mode[0] = at.has("arrive");
        step.mode[1] = at.has("expect_tx");
        step.mode[2] = step.operands[0].is_address ? 0 : 1;
        require_operands(step, step.mode[2] + 1);
        step.run = arrive;
    } else if (at.has("try_wait") || at.has("test_wait")) {
        require_operands(step, 3);
        step.control = Control::wait;
        step.run = wait_for_phase;
    } else {
        throw Error("this instruction is not read");
    }
}

} // namespace

std::span<const Opcode> control_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"bra", decode_branch, "uni"},
        {"brx", decode_branch, "idx uni"},
        {"ret", decode_end, "uni"},
        {"exit", decode_end},
        {"bar", decode_barrier, "cta warp sync red and or popc aligned"},
        {"barrier", decode_barrier, "cta cluster sync red and or popc aligned arrive wait acquire release relaxed"},
        {"mbarrier", decode_mbarrier,
         "init inval arrive noComplete expect_tx complete_tx try_wait test_wait parity shared* cta cluster acquire "
         "release relaxed"},
        {"fence", decode_nothing, "*"},
        {"membar", decode_nothing, "*"},
        {"griddepcontrol", decode_nothing, "*"},
        {"setmaxnreg", decode_nothing, "*"},
        {"nanosleep", decode_nothing, "*"},
        {"prefetch", decode_nothing, "*"},
        {"prefetchu", decode_nothing, "*"},
        {"discard", decode_nothing, "*"},
        {"applypriority", decode_nothing, "*"},
        {"createpolicy", decode_nothing,
         "*"}, // for the cache; who takes it for a number reads what nothing has written
    };
    return opcodes;
}

} // namespace discern::programs
