#include "waits.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "step.hpp"

#include <algorithm>
#include <utility>

namespace discern::programs {

namespace {

constexpr unsigned warp_of(unsigned lane) { return lane / 32; }

} // namespace

Waits::Waits(unsigned lanes, std::size_t shared_bytes)
    : warps_(lanes / 32), threads_(lanes), clocks_(lanes / 32), writes_(1), shared_(shared_bytes, 0) {
    for (std::size_t i = 0; i < warps_.size(); ++i) {
        warps_[i].known.resize(warps_.size());
        warps_[i].known[i] = 1;
    }
}

void Waits::join(Known& into, const Known& from) {
    if (into.size() < from.size()) into.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

Waits::Barrier& Waits::barrier(std::uint64_t address) {
    const auto [found, is_new] = barriers_.try_emplace(address);
    if (is_new) found->second.clock = clocks_++;
    return found->second;
}

std::uint32_t Waits::add(const Write& write) {
    writes_.push_back(write);
    return static_cast<std::uint32_t>(writes_.size() - 1);
}

void Waits::set(std::vector<std::uint32_t>& writes, std::uint32_t clock, std::uint32_t time) {
    for (const std::uint32_t write : writes) {
        writes_[write].clock = clock;
        writes_[write].time = time;
    }
    writes.clear();
}

bool Waits::is_there(const Write& write, unsigned warp) const {
    return write.line == 0 || (write.clock != in_flight && time_of(warps_[warp].known, write.clock) >= write.time);
}

void Waits::begin_step(int line) {
    line_ = line;
    for (Warp& warp : warps_) warp.write = warp.read = 0;
    last_lane_ = in_flight;
}

void Waits::begin_bulk(std::uint64_t mbarrier) {
    bulk_ = mbarrier;
    last_lane_ = in_flight;
}

/// The write that this step makes: one for each warp, of copies one for each thread.
std::uint32_t Waits::write_of(Access what, unsigned lane) {
    const unsigned warp = warp_of(lane);
    if (what == Access::write || what == Access::atomic) {
        std::uint32_t& made = warps_[warp].write;
        if (made == 0)
            made = add({.line = line_,
                        .clock = warp,
                        .time = warps_[warp].known[warp],
                        .lane = static_cast<std::uint16_t>(lane)});
        return made;
    }
    if (last_lane_ == lane) return last_write_;
    last_lane_ = lane;
    Write write{.line = line_, .lane = static_cast<std::uint16_t>(lane), .is_copy = true};
    if (what == Access::bulk_copy) {
        const Barrier& with = barrier(bulk_);
        write.clock = with.clock;
        write.time = with.completed + 1;
    }
    last_write_ = add(write);
    if (what == Access::copy) threads_[lane].open.push_back(last_write_);
    return last_write_;
}

/// One for each warp and step.
std::uint32_t Waits::read_of(Access what, unsigned lane) {
    Warp& warp = warps_[warp_of(lane)];
    if (warp.read != 0) return warp.read;
    Write read{.line = line_, .lane = static_cast<std::uint16_t>(lane)};
    if (what == Access::read) {
        read.clock = warp_of(lane);
        read.time = warp.known[warp_of(lane)];
    }
    warp.read = add(read);
    if (what == Access::tensor_read) threads_[lane].products.push_back(warp.read);
    if (what == Access::product_read) warp.product_reads.emplace_back(warp.products_committed + 1, warp.read);
    return warp.read;
}

void Waits::contest(std::uint64_t address, Code code, std::uint32_t write, unsigned warp, bool is_read) {
    if (!is_there(writes_[write], warp)) contested_.push_back({address, code, 0, writes_[write].line, line_, is_read});
}

void Waits::refuse_read(const Write& write, unsigned lane, std::uint64_t address) const {
    if (write.is_copy)
        throw Error(sentence("thread ", lane, " reads byte ", address, " of shared memory, which line ", write.line,
                             " copies, before it has waited for the copy"));
    throw Error(sentence("thread ", lane, " reads byte ", address, " of shared memory, which thread ", write.lane,
                         ", or one of its warp, writes on line ", write.line, ", and no barrier is between them"));
}

void Waits::access(Access what, unsigned lane, std::uint64_t address, std::span<const Code> bytes) {
    const unsigned warp = warp_of(lane);
    if (what == Access::atomic) { // which may be how threads meet
        join(warps_[warp].known, atomics_);
        join(atomics_, warps_[warp].known);
        tick(warp);
    }
    const std::size_t warps = warps_.size(), end = (address + bytes.size()) * warps;
    if (readers_.size() < end) readers_.resize(end);
    if (!writes(what)) {
        const std::uint32_t read = read_of(what, lane);
        for (std::size_t i = 0; i < bytes.size(); ++i) readers_[(address + i) * warps + warp] = read;
        std::uint32_t good = 0;
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            const std::uint32_t write = shared_[address + i];
            if (write == good) continue;
            if (!is_there(writes_[write], warp)) refuse_read(writes_[write], lane, address + i);
            good = write;
        }
        return;
    }
    const std::uint32_t made = write_of(what, lane);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::uint32_t& write = shared_[address + i];
        if (what != Access::atomic) {
            if (write == made)
                contested_.push_back({address + i, bytes[i], 0, line_, line_});
            else
                contest(address + i, bytes[i], write, warp, false);
            for (std::size_t other = 0; other < warps; ++other)
                if (const std::uint32_t read = readers_[(address + i) * warps + other]; read != 0)
                    contest(address + i, bytes[i], read, warp, true);
        }
        write = what == Access::atomic ? 0 : made;
    }
}

std::vector<TwoWrites> Waits::end_step(std::span<const Code> shared) {
    std::vector<TwoWrites> different;
    for (TwoWrites& one : contested_) {
        one.other = shared[one.address];
        if (one.other != one.one) different.push_back(one);
    }
    contested_.clear();
    return different;
}

void Waits::meet(std::span<const std::uint8_t> lanes) {
    std::vector<bool> takes_part(warps_.size());
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        if (lanes[lane] != 0) takes_part[lane / 32] = true;
    Known all;
    for (std::size_t i = 0; i < warps_.size(); ++i)
        if (takes_part[i]) join(all, warps_[i].known);
    for (unsigned i = 0; i < warps_.size(); ++i)
        if (takes_part[i]) {
            warps_[i].known = all;
            tick(i);
        }
}

void Waits::arrive(unsigned lane, std::uint64_t mbarrier) {
    join(barrier(mbarrier).arriving, warps_[warp_of(lane)].known);
    tick(warp_of(lane));
}

void Waits::complete(std::uint64_t mbarrier) {
    Barrier& at = barrier(mbarrier);
    join(at.told, at.arriving);
    if (at.told.size() <= at.clock) at.told.resize(at.clock + 1);
    at.told[at.clock] = ++at.completed;
}

void Waits::has_waited(unsigned lane, std::uint64_t mbarrier) {
    join(warps_[warp_of(lane)].known, barrier(mbarrier).told);
}

void Waits::commit_copies(unsigned lane) { threads_[lane].committed.push_back(std::exchange(threads_[lane].open, {})); }

void Waits::wait_for_copies(unsigned lane, std::size_t pending) {
    Thread& thread = threads_[lane];
    const unsigned warp = warp_of(lane);
    for (; thread.committed.size() > pending; thread.committed.pop_front())
        set(thread.committed.front(), warp, warps_[warp].known[warp]);
}

void Waits::track_copies(unsigned lane, std::uint64_t mbarrier) {
    Thread& thread = threads_[lane];
    Barrier& with = barrier(mbarrier);
    for (auto& group : thread.committed) set(group, with.clock, with.completed + 1);
    set(thread.open, with.clock, with.completed + 1);
    join(with.arriving, warps_[warp_of(lane)].known);
    tick(warp_of(lane));
}

Waits::Held& Waits::held(std::uint32_t reg) {
    Held& found = held_[reg];
    found.product.resize(warps_.size());
    found.load.resize(warps_.size());
    found.line = line_;
    return found;
}

void Waits::forget_released() {
    std::erase_if(held_, [&](const auto& entry) {
        const Held& one = entry.second;
        for (std::size_t i = 0; i < warps_.size(); ++i)
            if (one.product[i] > warps_[i].products_done || one.load[i] > warps_[i].loads_done) return false;
        return true;
    });
}

void Waits::hold_product(unsigned warp, std::uint32_t reg) {
    held(reg).product[warp] = warps_[warp].products_committed + 1;
}
void Waits::commit_products(unsigned warp) { ++warps_[warp].products_committed; }
void Waits::wait_for_products(unsigned warp, std::size_t pending) {
    Warp& at = warps_[warp];
    if (at.products_committed > pending)
        at.products_done = std::max(at.products_done, at.products_committed - static_cast<std::uint32_t>(pending));
    std::erase_if(at.product_reads, [&](const auto& read) {
        if (read.first > at.products_done) return false;
        writes_[read.second].clock = warp;
        writes_[read.second].time = at.known[warp];
        return true;
    });
    forget_released();
}
void Waits::hold_load(unsigned warp, std::uint32_t reg) { held(reg).load[warp] = warps_[warp].loads + 1; }
void Waits::wait_for_loads(unsigned warp) {
    warps_[warp].loads_done = ++warps_[warp].loads;
    forget_released();
}

std::string Waits::use_of_held(const Step& step, std::span<const std::uint8_t> active) const {
    if (held_.empty()) return "";
    std::string said;
    const auto look = [&](std::uint32_t reg, bool may_be_of_products) {
        const auto found = held_.find(reg);
        if (found == held_.end()) return;
        const Held& one = found->second;
        for (std::size_t i = 0; i < warps_.size(); ++i) {
            const bool by_product = one.product[i] > warps_[i].products_done && !may_be_of_products;
            if (!by_product && one.load[i] <= warps_[i].loads_done) continue;
            const auto lanes = active.subspan(i * 32, 32);
            const auto lane = std::find(lanes.begin(), lanes.end(), 1);
            if (lane == lanes.end() || !said.empty()) continue;
            said = sentence("on line ", step.written->line, " thread ",
                            i * 32 + static_cast<std::size_t>(lane - lanes.begin()), " uses a register that line ",
                            one.line, " fills, before it has waited for ", by_product ? "the product" : "the load");
        }
    };
    look(step.guard, false);
    for (std::size_t i = 0; i < step.operands.size(); ++i) {
        for (const std::uint32_t reg : step.operands[i].registers) look(reg, i == 0 && step.keeps_products);
        look(step.operands[i].second, false);
    }
    return said;
}

void Waits::store_cell(unsigned lane, std::size_t cell) {
    if (cells_.size() <= cell) cells_.resize(cell + 1);
    Warp& warp = warps_[warp_of(lane)];
    if (warp.write == 0) {
        warp.write = add({.line = line_, .lane = static_cast<std::uint16_t>(lane)});
        warp.stores.push_back(warp.write);
    }
    cells_[cell] = warp.write;
}

void Waits::wait_for_stores(unsigned warp) { set(warps_[warp].stores, warp, warps_[warp].known[warp]); }

void Waits::product_in_cell(unsigned lane, std::size_t cell) {
    if (cells_.size() <= cell) cells_.resize(cell + 1);
    if (last_lane_ != lane) {
        last_lane_ = lane;
        last_write_ = add({.line = line_, .lane = static_cast<std::uint16_t>(lane), .is_product = true});
        threads_[lane].products.push_back(last_write_);
    }
    cells_[cell] = last_write_;
}

void Waits::commit_cells(unsigned lane, std::uint64_t mbarrier) {
    Thread& thread = threads_[lane];
    Barrier& with = barrier(mbarrier);
    set(thread.products, with.clock, with.completed + 1);
    // What completed with earlier ones is complete when this one is.
    join(with.arriving, thread.products_with);
    join(with.arriving, warps_[warp_of(lane)].known);
    tick(warp_of(lane));
    if (thread.products_with.size() <= with.clock) thread.products_with.resize(with.clock + 1);
    thread.products_with[with.clock] = with.completed + 1;
}

void Waits::read_cell(unsigned lane, std::size_t cell, bool by_product) const {
    if (cell >= cells_.size()) return;
    const Write& write = writes_[cells_[cell]];
    const unsigned warp = warp_of(lane);
    if (write.is_product ? by_product : !by_product && warp_of(write.lane) == warp) return;
    if (is_there(write, warp)) return;
    throw Error(sentence("thread ", lane, " reads tensor memory that line ", write.line, " writes, before ",
                         write.is_product ? "it has waited for the product" : "the store is waited for"));
}

} // namespace discern::programs
