// One block of threads of a launch: registers, shared and local memory, and the groups of threads that run together.
// The blocks of a cluster are one Block, whose lanes are the threads of the first, then those of the second, and so on.
//
// All threads of the block whose next instruction is the same run it at once. Where they part, the group with the
// lowest instruction runs first, so that they meet again behind a branch. Barriers hold groups until enough threads
// have come; a wait for an mbarrier that fails lets the others run.
#pragma once

#include "fragment_order.hpp"
#include "memory.hpp"
#include "step.hpp"
#include "waits.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace discern::programs {

inline constexpr unsigned most_threads_of_block = 1024;
inline constexpr unsigned most_threads = 2048; ///< of a cluster
inline constexpr unsigned most_ranks = 16;     ///< blocks of a cluster
inline constexpr unsigned lanes_of_warp = 32;

/// An address in shared memory has the rank of its block in the cluster in bits 24 to 31, so that it is the same
/// address for all.
inline constexpr unsigned rank_shift = 24;
constexpr std::uint64_t with_rank(std::uint64_t address, std::uint64_t rank) {
    return (address & ~(std::uint64_t(0xff) << rank_shift)) | rank << rank_shift;
}

class UnitNumbers;

/// What the blocks of a launch have in common.
struct Machine {
    const Program& program;
    const DecodedProgram& code;
    Graph& graph;
    Memory& memory;
    std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
    std::uint64_t dynamic_shared = 0;
    std::uint64_t most_steps = 0;                        ///< of whole groups of threads, in the launch
    std::vector<Code> parameters{};                      ///< the bytes of all
    std::vector<std::uint64_t> parameter_offsets{};      ///< of each, in them
    std::unordered_map<std::uint64_t, TensorMap> maps{}; ///< by the address of their parameter
    std::vector<std::uint64_t> variable_addresses{};     ///< of those in global memory; of others in their space
    std::uint64_t shared_bytes = 0, local_bytes = 0;
    std::uint64_t steps = 0;             ///< that have been run
    UnitNumbers* numbers = nullptr;      ///< if all data are numbers: what computes products of them
    std::vector<TwoWrites> two_writes{}; ///< of shared memory, whose values may differ
    std::set<std::string> assumptions{}; ///< of what PTX leaves open
    FragmentOrder fragment_order{};
    std::set<std::uint32_t> fragments{};         ///< the kinds that there are
    std::string unwaited{};                      ///< the first use of a register before a wait for what fills it
    bool uses_atomic_results = false;            ///< what an atomic operation found depends on the order of all
    std::vector<std::pair<NodeId, int>> lines{}; ///< on which functions were first computed, in ascending order
};

/// An object in shared memory on which threads wait.
struct Mbarrier {
    std::int64_t count = 0, pending = 0, bytes = 0;
    bool phase = false;
};

class Block {
  public:
    /// @param index  in the grid, of the cluster's first block
    Block(Machine& machine, std::array<unsigned, 3> index);

    /// Runs all threads to their end. @throws Error with file, line and instruction
    void run();

    Graph& graph() { return machine_.graph; }
    Machine& machine() { return machine_; }
    unsigned lanes() const { return lanes_; }
    /// The threads of each block of the cluster, and how many blocks it has.
    unsigned threads() const { return threads_; }
    unsigned ranks() const { return ranks_; }
    unsigned warps() const { return lanes_ / lanes_of_warp; }
    bool is_active(unsigned lane) const { return active_[lane] != 0; }
    /// Calls act(lane) of the lanes that run.
    template <typename Act>
    void each_lane(const Act& act) const {
        for (unsigned lane = 0; lane < lanes_; ++lane)
            if (active_[lane] != 0) act(lane);
    }
    /// The same of warps. @throws Error if only some lanes of one run
    template <typename Act>
    void each_warp(const Act& act) const {
        for (unsigned warp = 0; warp < warps(); ++warp)
            if (whole_group(warp, lanes_of_warp)) act(warp);
    }
    /// Whether all lanes of a group of so many, the index-th, run. @throws Error if only some do
    bool whole_group(unsigned index, unsigned size) const;
    /// The only active lane. @throws Error if there are several
    unsigned only_lane() const;

    /// The values of a register where they are known in all active lanes, in place or in room of the block's that the
    /// eighth call from now uses again; else nullptr.
    const std::uint64_t* known(std::uint32_t reg);
    /// The same. @throws Error "… depends on data" if they are not known
    const std::uint64_t* values(std::uint32_t reg, std::string_view what);
    /// The same of an operand's address, with its offset.
    const std::uint64_t* addresses(const Place& place);
    /// The first bytes of a register in one lane; what a register does not have is 0.
    void codes(std::uint32_t reg, unsigned lane, std::span<Code> into) const;
    unsigned bytes(std::uint32_t reg) const { return registers_[reg].bytes; }

    /// Writes the active lanes of a register: a value each.
    void put(std::uint32_t reg, const std::uint64_t* values);
    /// The same: `size` codes each.
    void put_codes(std::uint32_t reg, std::span<const Code> codes, unsigned size);

    /// The same, each value being of(lane).
    template <typename Of>
    void put_each(std::uint32_t reg, const Of& of) {
        std::uint64_t values[most_threads];
        each_lane([&](unsigned lane) { values[lane] = static_cast<std::uint64_t>(of(lane)); });
        put(reg, values);
    }
    /// The same, where make(lane, codes) makes the codes, which are 0 before.
    template <typename Make>
    void make_each(std::uint32_t reg, unsigned size, const Make& make) {
        std::vector<Code> all(std::size_t(lanes_) * size, 0);
        each_lane([&](unsigned lane) { make(lane, std::span(all).subspan(std::size_t(lane) * size, size)); });
        put_codes(reg, all, size);
    }

    /// The bytes of an address in a space, of that lane. @throws Error
    Code* at(std::string_view space, std::uint64_t address, std::size_t bytes, unsigned lane, Access what);
    Code* shared(std::uint64_t address, std::size_t bytes, unsigned lane, Access what) {
        return at("shared", address, bytes, lane, what);
    }

    /// A node of a function, or the constant that it is.
    NodeId apply(OpId op, std::size_t size, std::span<const NodeId> arguments);

    std::vector<std::uint8_t> carry; ///< of each lane: the condition code
    std::map<std::uint64_t, Mbarrier> mbarriers;
    /// The mbarrier of an address. @throws Error if none was made there
    Mbarrier& mbarrier(std::uint64_t address);
    /// A phase of it may be complete.
    void look_at(std::uint64_t address);
    Waits waits; ///< what may be read
    /// Lets groups that wait look again.
    void wake();
    /// A wait failed: the threads go on when the others have. @param repeats  with the same step
    void stall(bool repeats = false) {
        is_stalled_ = true;
        repeats_ = repeats;
    }
    /// The barrier of the cluster: the active lanes come to it, or wait for all. @param is_told  of what they have
    /// written @throws Error if they do not do one after the other
    void arrive_at_cluster(bool is_told);
    void wait_for_cluster();

    /// Tensor memory: 128 lanes of 512 columns of four bytes, made when it is first asked for.
    std::vector<Code>& tensor_memory();
    std::uint32_t tensor_columns = 0; ///< that are allocated

  private:
    struct Register {
        std::uint8_t bytes = 0; ///< 1 of predicates
        enum class State : std::uint8_t { unwritten, known, symbolic } state = State::unwritten;
        std::vector<std::uint64_t> values;
        std::vector<Code> codes;
    };
    struct Group {
        std::uint32_t next = 0;
        std::vector<std::uint8_t> lanes;
        enum class State : std::uint8_t { ready, at_barrier, stalled } state = State::ready;
        std::uint32_t barrier = 0;
        unsigned rank = 0;                      ///< whose barrier it is
        std::vector<std::uint8_t> predicates{}; ///< of threads that wait at a reduction
        unsigned needed = 0;                    ///< threads; 0: all that have not ended
    };

    void fill_fixed(const FixedRegister& what, Register& into);
    std::uint64_t special(std::uint64_t which, unsigned lane) const;
    void make_symbolic(Register& reg);
    std::size_t choose();
    void join(std::size_t group);
    bool guarded(const Step& step, const Group& group);
    void control(const Step& step, std::size_t group);
    void jump(const Step& step, std::size_t group);
    void barrier(const Step& step, std::size_t group);
    void split_by_rank(std::size_t group);
    void look_at_cluster();
    void release_barriers();
    void reduce(std::uint32_t barrier, unsigned rank);
    std::string deadlock() const;
    static unsigned count(std::span<const std::uint8_t> lanes);

    Machine& machine_;
    std::array<unsigned, 3> index_;
    unsigned threads_, ranks_, lanes_;
    std::vector<Register> registers_;
    std::vector<Code> shared_;
    std::vector<std::vector<Code>> local_;
    std::vector<Code> tensor_memory_;
    std::vector<Group> groups_;
    std::vector<std::uint8_t> active_;
    std::vector<std::uint64_t> meetings_; ///< of the cluster, by lane: to which it has come and not waited, or 0
    std::uint64_t meeting_ = 1;           ///< that is not over
    bool all_active_ = true, is_stalled_ = false, repeats_ = false;
    int line_ = 0; ///< of the step that runs
    std::array<std::vector<std::uint64_t>, 8> rooms_;
    std::size_t room_ = 0;
    std::vector<std::optional<Function>> functions_; ///< by operation, where they were looked for
    std::uint64_t fruitless_waits_ = 0;
};

/// What the registers of a list are to hold: made byte by byte, and written at the end.
class NewRegisters {
  public:
    /// @param size  bytes of each
    NewRegisters(Block& block, const Place& list, unsigned size = 4)
        : block_(block), list_(list), size_(size), codes_(list.registers.size() * block.lanes() * size, 0) {}
    std::span<Code> at(std::size_t reg, std::size_t lane) {
        return std::span(codes_).subspan((reg * block_.lanes() + lane) * size_, size_);
    }
    void write() {
        const std::size_t all = std::size_t(block_.lanes()) * size_;
        for (std::size_t r = 0; r < list_.registers.size(); ++r)
            block_.put_codes(list_.registers[r], std::span(codes_).subspan(r * all, all), size_);
    }

  private:
    Block& block_;
    const Place& list_;
    unsigned size_;
    std::vector<Code> codes_;
};

} // namespace discern::programs
