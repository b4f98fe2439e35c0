// What may be read: not what a copy or a product has yet to bring, and not what another warp writes without a barrier
// in between. Nor may one write what others have written, or may still read, unless it is the same.
//
// The machine does everything when it is issued, in an order of its own; a GPU need not. So each warp has a clock, and
// knows how far the clocks of the others were when they last met: at a barrier, or at an mbarrier where one arrived and
// for which the other waited (vector clocks). Each mbarrier has a clock too, of its phases: what completes with a phase
// is known to those that waited for it. Threads of one warp are taken to see what the others have written.
#pragma once

#include "programs/graph/graph.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace discern::programs {

struct Step;

/// What is done with bytes of memory.
enum class Access : std::uint8_t {
    read,
    product_read, ///< by wgmma, until it has been waited for
    tensor_read,  ///< by tcgen05.mma, until an mbarrier of its commit
    write,
    copy,      ///< a write by cp.async
    bulk_copy, ///< a write that completes with the mbarrier of begin_bulk()
    atomic,
};

constexpr bool writes(Access what) {
    return what != Access::read && what != Access::product_read && what != Access::tensor_read;
}

/// A byte that one thread has written, or read, and another one has written, of which nothing says which is later.
struct TwoWrites {
    std::uint64_t address = 0;
    Code one = 0, other = 0;
    int line_of_one = 0, line_of_other = 0;
    bool one_is_read = false;
};

class Waits {
  public:
    Waits(unsigned lanes, std::size_t shared_bytes);

    void begin_step(int line);
    /// The next bulk copy is of that thread, and completes with that mbarrier.
    void begin_bulk(std::uint64_t mbarrier);
    /// Bytes of shared memory. @throws Error if they are read before a wait, or without a barrier
    void access(Access what, unsigned lane, std::uint64_t address, std::span<const Code> bytes);
    /// Bytes that two threads have written in this step, or without a barrier in between, and not as one code. @param
    /// shared  the memory after the step
    std::vector<TwoWrites> end_step(std::span<const Code> shared);

    // ---- meetings

    void meet(std::span<const std::uint8_t> lanes);
    void arrive(unsigned lane, std::uint64_t mbarrier);
    void complete(std::uint64_t mbarrier);
    void has_waited(unsigned lane, std::uint64_t mbarrier);

    // ---- cp.async of one thread

    void commit_copies(unsigned lane);
    void wait_for_copies(unsigned lane, std::size_t pending);
    /// All copies so far complete with that mbarrier.
    void track_copies(unsigned lane, std::uint64_t mbarrier);

    // ---- registers that wgmma and tcgen05.ld have yet to fill, of a warp

    void hold_product(unsigned warp, std::uint32_t reg);
    void commit_products(unsigned warp);
    void wait_for_products(unsigned warp, std::size_t pending);
    void hold_load(unsigned warp, std::uint32_t reg);
    void wait_for_loads(unsigned warp);
    /// A sentence if the step uses such a register, else nothing. @param active  lanes
    std::string use_of_held(const Step& step, std::span<const std::uint8_t> active) const;

    // ---- cells of tensor memory

    void store_cell(unsigned lane, std::size_t cell);
    void wait_for_stores(unsigned warp);
    void product_in_cell(unsigned lane, std::size_t cell);
    /// The products so far of the thread complete with that mbarrier.
    void commit_cells(unsigned lane, std::uint64_t mbarrier);
    /// @param by_product  tcgen05.mma, which follows other products in their order @throws Error
    void read_cell(unsigned lane, std::size_t cell, bool by_product) const;

  private:
    /// How far each clock was: those of warps, then those of mbarriers.
    using Known = std::vector<std::uint32_t>;
    static constexpr std::uint32_t in_flight = ~0u;

    /// What has written, or read, bytes or cells.
    struct Write {
        int line = 0;
        std::uint32_t clock = in_flight, time = 0; ///< it is there for those who know that time of that clock
        std::uint16_t lane = 0;
        bool is_copy = false, is_product = false;
    };
    struct Barrier {
        std::uint32_t clock = 0, completed = 0;
        Known arriving{}, told{};
    };
    struct Thread {
        std::vector<std::uint32_t> open{}, products{};      ///< writes
        std::deque<std::vector<std::uint32_t>> committed{}; ///< groups of copies
        Known products_with{};                              ///< clocks of mbarriers with which they complete
    };
    struct Warp {
        Known known{};
        std::uint32_t products_committed = 0, products_done = 0, loads = 0, loads_done = 0;
        std::vector<std::uint32_t> stores{};                                  ///< writes to cells
        std::vector<std::pair<std::uint32_t, std::uint32_t>> product_reads{}; ///< of groups of products
        std::uint32_t write = 0, read = 0;                                    ///< of this step
    };
    /// Of a register: the group of products, or the load, that fills it, by warp.
    struct Held {
        std::vector<std::uint32_t> product{}, load{};
        int line = 0;
    };
    static void join(Known& into, const Known& from);
    static std::uint32_t time_of(const Known& known, std::uint32_t clock) {
        return clock < known.size() ? known[clock] : 0;
    }
    Barrier& barrier(std::uint64_t address);
    std::uint32_t add(const Write& write);
    void set(std::vector<std::uint32_t>& writes, std::uint32_t clock, std::uint32_t time);
    void tick(unsigned warp) { ++warps_[warp].known[warp]; }
    bool is_there(const Write& write, unsigned warp) const;
    std::uint32_t write_of(Access what, unsigned lane);
    std::uint32_t read_of(Access what, unsigned lane);
    void contest(std::uint64_t address, Code code, std::uint32_t write, unsigned warp, bool is_read);
    [[noreturn]] void refuse_read(const Write& write, unsigned lane, std::uint64_t address) const;
    Held& held(std::uint32_t reg);
    void forget_released();

    std::vector<Warp> warps_;
    std::vector<Thread> threads_;
    std::map<std::uint64_t, Barrier> barriers_;
    std::uint32_t clocks_;
    Known atomics_;
    std::vector<Write> writes_; ///< the first is of bytes that nothing here has written
    std::vector<std::uint32_t> shared_, cells_;
    std::vector<std::uint32_t> readers_; ///< of each byte, by warp
    std::vector<TwoWrites> contested_;
    std::unordered_map<std::uint32_t, Held> held_;
    std::uint64_t bulk_ = 0;
    std::uint32_t last_lane_ = in_flight, last_write_ = 0; ///< of this step's copies
    int line_ = 0;
};

} // namespace discern::programs
