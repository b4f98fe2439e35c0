// One workgroup of a launch of an AMD kernel: values of all lanes as codes, LDS, scratch, and the groups of lanes that
// run together.
//
// All lanes that stand at one instruction run it at once. Where they part, the group in the lowest block runs first, so
// that they meet again behind a branch. A barrier holds a group until all lanes of the workgroup that have not ended
// stand at one.
#pragma once

#include "programs/functions/functions.hpp"
#include "programs/llir/module.hpp"
#include "programs/machine/memory.hpp"

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace discern::programs::amd {

inline constexpr unsigned most_lanes = 1024;

class Workgroup;
struct Step;
using Run = void (*)(Workgroup&, const Step&);

enum class Control : std::uint8_t { on, branch, choice, end, barrier };

/// An instruction as the machine runs it: values and constants are slots.
struct Step {
    Run run = nullptr;
    Control control = Control::on;
    std::uint32_t result = llir::no_value;
    std::vector<std::uint32_t> operands{};
    std::vector<std::uint32_t> numbers{}; ///< blocks of a branch, elements of a shuffle, what a call says in numbers
    std::vector<std::uint64_t> cases{};   ///< of a choice: which number goes to the block behind it in `numbers`
    std::vector<OpId> operations{};
    const void* rule = nullptr; ///< a row of the table of such instructions
    const llir::Instruction* written = nullptr;
};

/// A part of code that begins with what its values are on each way to it.
struct CodeBlock {
    std::vector<Step> phis, steps;
};

struct DecodedKernel {
    std::vector<CodeBlock> blocks;
    std::vector<std::uint64_t> sizes;                               ///< bytes of each slot, in one lane
    std::vector<std::pair<std::uint32_t, std::vector<Code>>> fixed; ///< slots that are the same in all lanes
};

/// What the workgroups of a launch have in common.
struct Machine {
    const llir::Module& module;
    const DecodedKernel& code;
    Graph& graph;
    Memory& memory;
    std::string_view architecture; ///< in the catalogue's words
    unsigned wave = 64;
    std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::uint64_t lds_bytes = 0, most_steps = 0, steps = 0;
    std::uint64_t implicit = 0, dispatch = 0; ///< addresses of what the runtime says of the launch
    bool uses_atomic_results = false;
    std::vector<std::pair<NodeId, int>> lines{};
};

/// Address spaces of AMDGPU.
inline constexpr std::uint32_t generic_space = 0, global_space = 1, lds_space = 3, scratch_space = 5, buffer_space = 8;

class Workgroup {
  public:
    Workgroup(Machine& machine, std::array<unsigned, 3> index);

    /// Gives a slot the same bytes in all lanes.
    void fill(std::uint32_t slot, std::span<const Code> codes);
    /// Runs all lanes to their end. @throws Error with file, line and instruction
    void run();

    Machine& machine() { return machine_; }
    Graph& graph() { return machine_.graph; }
    unsigned lanes() const { return lanes_; }
    unsigned wave() const { return machine_.wave; }
    unsigned waves() const { return lanes_ / machine_.wave; }
    unsigned index(unsigned axis) const { return index_[axis]; }
    bool is_active(unsigned lane) const { return active_[lane] != 0; }
    unsigned first_of_wave(unsigned lane) const { return lane / machine_.wave * machine_.wave; }
    /// The first lane of the wave of a lane that runs; it runs too.
    unsigned leader(unsigned lane) const {
        unsigned first = first_of_wave(lane);
        while (!is_active(first)) ++first;
        return first;
    }
    /// Whether all lanes of a wave run. @throws Error if only some do
    bool whole_wave(unsigned wave) const;

    /// Bytes of a slot in one lane.
    std::uint64_t bytes(std::uint32_t slot) const { return machine_.code.sizes[slot]; }
    std::span<const Code> codes(std::uint32_t slot, unsigned lane) {
        if (slots_[slot].empty()) slots_[slot].assign(bytes(slot) * lanes_, unwritten_byte);
        return {slots_[slot].data() + lane * bytes(slot), static_cast<std::size_t>(bytes(slot))};
    }
    /// Bytes for a result, of all lanes, to be put.
    std::vector<Code>& room(std::uint32_t slot);
    /// Keeps what is in the room for the active lanes.
    void put(std::uint32_t slot);

    /// The number that a slot is in each lane; of lanes that do not run 0. @throws Error "… depends on data"
    const std::vector<std::uint64_t>& words(std::uint32_t slot, std::string_view what);
    /// The same, if it is the same number in all lanes that run.
    std::uint64_t word(std::uint32_t slot, std::string_view what);

    /// The bytes of an address in a space, of that lane. @throws Error
    Code* at(std::uint64_t space, std::uint64_t address, std::size_t bytes, unsigned lane, bool writes);

    /// A node of a function, or the constant that it is.
    NodeId apply(OpId op, std::size_t size, std::span<const NodeId> arguments);

    std::vector<std::uint64_t>& scratch_end() { return scratch_end_; }

  private:
    struct Group {
        std::uint32_t block = 0, next = 0;
        std::vector<std::uint8_t> lanes;
        bool waits = false; ///< at a barrier
    };
    std::size_t choose();
    void enter(Group& group);
    void jump(const Step& step, std::size_t group);
    void release();

    Machine& machine_;
    std::array<unsigned, 3> index_;
    unsigned lanes_;
    std::vector<std::vector<Code>> slots_;
    std::vector<Code> lds_, room_;
    std::vector<std::vector<Code>> scratch_; ///< of each lane, as long as it was asked for
    std::vector<std::uint64_t> scratch_end_;
    std::vector<Group> groups_;
    std::vector<std::uint8_t> active_;
    std::vector<std::uint32_t> came_from_; ///< of each lane: the block before
    bool all_active_ = true;
    int line_ = 0;
    std::array<std::vector<std::uint64_t>, 4> words_;
    std::size_t next_words_ = 0;
    std::vector<std::optional<Function>> functions_;
};

} // namespace discern::programs::amd
