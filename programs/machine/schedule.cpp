// Which group of threads runs next, and what branches and barriers do to groups.
#include "block.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <numeric>

namespace discern::programs {

namespace {

constexpr std::uint64_t most_fruitless_waits = 10'000;
constexpr std::size_t most_two_writes = 1 << 16;
constexpr std::uint64_t cluster_barrier = ~std::uint64_t(0); ///< its name for waits

} // namespace

unsigned Block::count(std::span<const std::uint8_t> lanes) { return std::accumulate(lanes.begin(), lanes.end(), 0u); }

void Block::wake() {
    for (Group& group : groups_)
        if (group.state == Group::State::stalled) group.state = Group::State::ready;
    fruitless_waits_ = 0;
}

std::string Block::deadlock() const {
    std::string text = "no thread can go on: ";
    for (const Group& group : groups_) {
        if (&group != groups_.data()) text += "; ";
        // A wait that failed has been left behind.
        const auto& steps = machine_.code.steps;
        const bool has_waited = group.next > 0 && steps[group.next - 1].control == Control::wait;
        text += sentence(count(group.lanes), " wait on line ", steps[group.next - has_waited].written->line);
    }
    return text;
}

/// Gives the threads at a barrier what it makes of their predicates, where it is a reduction.
void Block::reduce(std::uint32_t barrier, unsigned rank) {
    const auto is_there = [&](const Group& group) {
        return group.state == Group::State::at_barrier && group.barrier == barrier && group.rank == rank &&
               !group.predicates.empty();
    };
    unsigned come = 0, holding = 0;
    for (const Group& group : groups_) {
        if (!is_there(group)) continue;
        come += count(group.lanes);
        holding += count(group.predicates);
    }
    for (Group& group : groups_) {
        if (!is_there(group)) continue;
        const Step& step = machine_.code.steps[group.next];
        const auto what = static_cast<Reduction>(step.mode[0]);
        std::uint64_t result[most_threads];
        std::fill_n(result, lanes_,
                    what == Reduction::all   ? std::uint64_t(holding == come)
                    : what == Reduction::any ? std::uint64_t(holding != 0)
                                             : holding);
        active_ = group.lanes;
        all_active_ = count(active_) == lanes_;
        put(step.operands[0].reg(), result);
        group.predicates.clear();
    }
}

void Block::release_barriers() {
    std::array<unsigned, most_ranks> alive{};
    for (const Group& group : groups_)
        for (unsigned rank = 0; rank < ranks_; ++rank)
            alive[rank] += count(std::span(group.lanes).subspan(std::size_t(rank) * threads_, threads_));
    for (const Group& one : groups_) {
        if (one.state != Group::State::at_barrier) continue;
        const std::uint32_t barrier = one.barrier;
        const unsigned rank = one.rank;
        unsigned come = 0;
        const auto is_there = [&](const Group& group) {
            return group.state == Group::State::at_barrier && group.barrier == barrier && group.rank == rank;
        };
        for (const Group& group : groups_) come += is_there(group) ? count(group.lanes) : 0;
        if (come < (one.needed == 0 ? alive[rank] : one.needed)) continue;
        reduce(barrier, rank);
        std::vector<std::uint8_t> all(lanes_);
        for (Group& group : groups_) {
            if (!is_there(group)) continue;
            group.state = Group::State::ready;
            ++group.next;
            for (unsigned lane = 0; lane < lanes_; ++lane) all[lane] |= group.lanes[lane];
        }
        waits.meet(all);
        return release_barriers();
    }
}

/// The ready group with the lowest instruction, joined with all others there.
std::size_t Block::choose() {
    const auto lowest = [&] {
        std::size_t best = groups_.size();
        for (std::size_t i = 0; i < groups_.size(); ++i)
            if (groups_[i].state == Group::State::ready &&
                (best == groups_.size() || groups_[i].next < groups_[best].next))
                best = i;
        return best;
    };
    std::size_t best = lowest();
    if (best == groups_.size()) {
        release_barriers();
        best = lowest();
    }
    if (best == groups_.size())
        throw Error(refusal(machine_.program, *machine_.code.steps[groups_[0].next].written, deadlock()));
    for (std::size_t i = groups_.size(); i-- > 0;) {
        Group& other = groups_[i];
        if (i == best || other.state != Group::State::ready || other.next != groups_[best].next) continue;
        for (unsigned lane = 0; lane < lanes_; ++lane) groups_[best].lanes[lane] |= other.lanes[lane];
        groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(i));
        if (i < best) --best;
    }
    return best;
}

/// Sets which lanes are active: those of the group whose guard holds. @return whether there are any
bool Block::guarded(const Step& step, const Group& group) {
    active_ = group.lanes;
    if (step.guard != no_register) {
        const std::uint64_t* guard = values(step.guard, "its guard");
        for (unsigned lane = 0; lane < lanes_; ++lane)
            active_[lane] &= static_cast<std::uint8_t>((guard[lane] != 0) != step.guard_is_negated);
    }
    const unsigned running = count(active_);
    all_active_ = running == lanes_;
    return running != 0;
}

void Block::jump(const Step& step, std::size_t group) {
    std::vector<std::uint32_t> targets(lanes_, groups_[group].next + 1);
    const std::uint64_t* chosen = step.control == Control::table ? values(step.operands[0].reg(), "the jump") : nullptr;
    each_lane([&](unsigned lane) {
        if (step.control == Control::end) {
            groups_[group].lanes[lane] = 0;
        } else if (chosen == nullptr) {
            targets[lane] = step.mode[0];
        } else {
            const auto& table = machine_.program.tables[step.mode[0]];
            if (chosen[lane] >= table.size()) throw Error("the jump is behind the end of its table");
            targets[lane] = table[chosen[lane]];
        }
    });
    const std::vector<std::uint8_t> lanes = groups_[group].lanes;
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(group));
    std::map<std::uint32_t, std::vector<std::uint8_t>> parts;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
        if (!lanes[lane]) continue;
        auto& part = parts[targets[lane]];
        part.resize(lanes_);
        part[lane] = 1;
    }
    for (auto& [target, part] : parts) groups_.push_back({.next = target, .lanes = std::move(part)});
    if (step.control == Control::end && !groups_.empty()) look_at_cluster();
}

/// A barrier is that of one block. The threads of the others come to it as another group.
void Block::split_by_rank(std::size_t group) {
    const auto first = std::find(groups_[group].lanes.begin(), groups_[group].lanes.end(), 1);
    const unsigned rank = static_cast<unsigned>(first - groups_[group].lanes.begin()) / threads_;
    groups_[group].rank = rank;
    const std::size_t end = std::size_t(rank + 1) * threads_;
    Group others{.next = groups_[group].next, .lanes = groups_[group].lanes};
    std::fill_n(others.lanes.begin(), end, 0);
    std::fill(groups_[group].lanes.begin() + static_cast<std::ptrdiff_t>(end), groups_[group].lanes.end(), 0);
    if (count(others.lanes) != 0) groups_.push_back(std::move(others));
}

void Block::arrive_at_cluster(bool is_told) {
    each_lane([&](unsigned lane) {
        if (meetings_[lane] != 0) throw Error(sentence("thread ", lane, " comes twice, and has not waited"));
        meetings_[lane] = meeting_;
        if (is_told) waits.arrive(lane, cluster_barrier);
    });
    look_at_cluster();
}

void Block::wait_for_cluster() {
    bool has_met = true;
    each_lane([&](unsigned lane) {
        if (meetings_[lane] == 0) throw Error(sentence("thread ", lane, " waits, and has not come"));
        has_met &= meetings_[lane] < meeting_;
    });
    if (!has_met) return stall(true);
    each_lane([&](unsigned lane) {
        meetings_[lane] = 0;
        waits.has_waited(lane, cluster_barrier);
    });
}

/// The cluster has met when all threads that have not ended have come.
void Block::look_at_cluster() {
    for (const Group& group : groups_)
        for (unsigned lane = 0; lane < lanes_; ++lane)
            if (group.lanes[lane] != 0 && meetings_[lane] != meeting_) return;
    ++meeting_;
    waits.complete(cluster_barrier);
    wake();
}

void Block::barrier(const Step& step, std::size_t group) {
    Group& waiting = groups_[group];
    waiting.barrier = 0;
    waiting.needed = 0;
    const auto first = static_cast<std::size_t>(std::find(active_.begin(), active_.end(), 1) - active_.begin());
    // A reduction has a result before these and a predicate behind them.
    const bool reduces = static_cast<Reduction>(step.mode[0]) != Reduction::none;
    const std::size_t from = reduces ? 1 : 0, end = step.operands.size() - from;
    if (end > from)
        waiting.barrier = static_cast<std::uint32_t>(values(step.operands[from].reg(), "the barrier")[first]);
    if (end > from + 1)
        waiting.needed = static_cast<unsigned>(values(step.operands[from + 1].reg(), "the number of threads")[first]);
    if (reduces) {
        const Place& place = step.operands.back();
        const std::uint64_t* holds = values(place.reg(), "the predicate");
        waiting.predicates.assign(lanes_, 0);
        for (unsigned lane = 0; lane < lanes_; ++lane)
            waiting.predicates[lane] = active_[lane] != 0 && (holds[lane] != 0) != place.is_negated;
    }
    if (active_ != waiting.lanes) throw Error("only some of the threads come to the barrier");
    waiting.state = Group::State::at_barrier;
    release_barriers();
}

void Block::control(const Step& step, std::size_t group) {
    if (step.control == Control::barrier && ranks_ > 1) split_by_rank(group);
    const bool any = guarded(step, groups_[group]);
    if (step.control == Control::on || step.control == Control::wait) {
        is_stalled_ = repeats_ = false;
        line_ = step.written->line;
        if (any) {
            waits.begin_step(line_);
            if (machine_.unwaited.empty()) machine_.unwaited = waits.use_of_held(step, active_);
            step.run(*this, step);
            for (const TwoWrites& two : waits.end_step(shared_))
                if (machine_.two_writes.size() < most_two_writes) machine_.two_writes.push_back(two);
        }
        if (!repeats_) ++groups_[group].next;
        if (!is_stalled_) return;
        if (++fruitless_waits_ > most_fruitless_waits) throw Error(deadlock());
        if (groups_.size() > 1) groups_[group].state = Group::State::stalled;
    } else if (step.control == Control::barrier) {
        if (any)
            barrier(step, group);
        else
            ++groups_[group].next;
    } else {
        jump(step, group);
    }
}

void Block::run() {
    groups_ = {{.next = 0, .lanes = std::vector<std::uint8_t>(lanes_, 1)}};
    const auto& steps = machine_.code.steps;
    while (!groups_.empty()) {
        std::size_t group = choose();
        bool stays = true;
        while (stays) {
            if (groups_[group].next >= steps.size()) {
                groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(group));
                break;
            }
            const Step& step = steps[groups_[group].next];
            try {
                if (++machine_.steps > machine_.most_steps)
                    throw Error(sentence("the launch takes more than ", machine_.most_steps, " steps"));
                control(step, group);
            } catch (const Error& error) {
                const std::string_view text = error.what();
                if (text.starts_with(machine_.program.file + ":")) throw;
                throw Error(refusal(machine_.program, *step.written, text));
            }
            stays = groups_.size() == 1 && step.control == Control::on;
        }
    }
}

} // namespace discern::programs
