#include "workgroup.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <map>

namespace discern::programs::amd {

namespace {

constexpr std::uint64_t most_codes = std::uint64_t(1) << 28, most_scratch = 1 << 16;

} // namespace

Workgroup::Workgroup(Machine& machine, std::array<unsigned, 3> index)
    : machine_(machine), index_(index), lanes_(machine.block[0] * machine.block[1] * machine.block[2]),
      slots_(machine.code.sizes.size()), lds_(machine.lds_bytes, unwritten_byte), scratch_(lanes_),
      scratch_end_(lanes_), came_from_(lanes_) {
    std::uint64_t all = 0;
    for (const std::uint64_t size : machine.code.sizes) all += size * lanes_;
    if (all > most_codes)
        throw Error(sentence(machine.module.file, ": the values of a workgroup have more than 256 MiB"));
    for (const auto& [slot, codes] : machine.code.fixed) fill(slot, codes);
}

void Workgroup::fill(std::uint32_t slot, std::span<const Code> codes) {
    slots_[slot].clear();
    slots_[slot].reserve(codes.size() * lanes_);
    for (unsigned lane = 0; lane < lanes_; ++lane) slots_[slot].insert(slots_[slot].end(), codes.begin(), codes.end());
}

bool Workgroup::whole_wave(unsigned wave) const {
    const auto first = active_.begin() + static_cast<std::ptrdiff_t>(wave * machine_.wave);
    const auto running = std::count(first, first + machine_.wave, 1);
    if (running != 0 && running != machine_.wave)
        throw Error(sentence("only ", running, " of the ", machine_.wave, " lanes that must run this together do"));
    return running != 0;
}

std::vector<Code>& Workgroup::room(std::uint32_t slot) {
    room_.assign(bytes(slot) * lanes_, unwritten_byte);
    return room_;
}

void Workgroup::put(std::uint32_t slot) {
    if (all_active_) {
        slots_[slot].swap(room_);
        return;
    }
    const std::uint64_t size = bytes(slot);
    if (slots_[slot].empty()) slots_[slot].assign(size * lanes_, unwritten_byte);
    for (unsigned lane = 0; lane < lanes_; ++lane)
        if (active_[lane])
            std::copy_n(room_.begin() + static_cast<std::ptrdiff_t>(lane * size), size,
                        slots_[slot].begin() + static_cast<std::ptrdiff_t>(lane * size));
}

const std::vector<std::uint64_t>& Workgroup::words(std::uint32_t slot, std::string_view what) {
    auto& into = words_[next_words_++ % words_.size()];
    into.assign(lanes_, 0);
    const std::uint64_t size = std::min<std::uint64_t>(bytes(slot), 8);
    for (unsigned lane = 0; lane < lanes_; ++lane) {
        if (!active_[lane]) continue;
        const auto given = codes(slot, lane);
        for (std::uint64_t i = 0; i < size; ++i) {
            if (given[i] == unwritten_byte) throw Error(sentence(what, " depends on what nothing has written"));
            if (!is_known(given[i])) throw Error(sentence(what, " depends on data"));
            into[lane] |= std::uint64_t(given[i]) << (8 * i);
        }
    }
    return into;
}

std::uint64_t Workgroup::word(std::uint32_t slot, std::string_view what) {
    const auto& all = words(slot, what);
    const auto first = static_cast<unsigned>(std::find(active_.begin(), active_.end(), 1) - active_.begin());
    for (unsigned lane = first; lane < lanes_; ++lane)
        if (active_[lane] && all[lane] != all[first]) throw Error(sentence(what, " is another in other lanes"));
    return all[first];
}

Code* Workgroup::at(std::uint64_t space, std::uint64_t address, std::size_t bytes, unsigned lane, bool writes) {
    const auto in = [&](std::uint64_t window) {
        return space == generic_space && address >= window && address < window + window_size;
    };
    const auto within = [&](std::vector<Code>& memory, std::uint64_t from, std::string_view name) {
        if (from > memory.size() || memory.size() - from < bytes)
            throw Error(sentence("lane ", lane, " accesses ", bytes, " bytes at ", from, " of ", name,
                                 ", of which there are ", memory.size()));
        return memory.data() + from;
    };
    if (space == lds_space || in(shared_window)) return within(lds_, address & (window_size - 1), "LDS");
    if (space == scratch_space || in(local_window)) {
        const std::uint64_t from = address & (window_size - 1);
        if (scratch_end_[lane] > most_scratch) throw Error("a lane has more than 64 KiB of variables");
        scratch_[lane].resize(scratch_end_[lane], unwritten_byte);
        return within(scratch_[lane], from, "a lane's variables");
    }
    if (space > scratch_space || space == 2) throw Error(sentence("memory of address space ", space, " is not read"));
    return machine_.memory.at(address, bytes, writes);
}

NodeId Workgroup::apply(OpId op, std::size_t size, std::span<const NodeId> arguments) {
    Graph& g = graph();
    const bool all_known = !arguments.empty() && std::all_of(arguments.begin(), arguments.end(), [&](NodeId argument) {
        return g.kind(argument) == Kind::constant;
    });
    if (all_known) {
        if (functions_.size() <= op) functions_.resize(op + 1);
        if (!functions_[op]) functions_[op] = function_of(g.operation(op).name);
        if (const Function& function = *functions_[op]; function && function.is_exact) {
            std::uint64_t words[4] = {};
            for (std::size_t i = 0; i < std::min<std::size_t>(arguments.size(), 4); ++i)
                words[i] = g.bits(arguments[i]);
            return g.constant(function(words), size);
        }
    }
    const std::size_t before = g.size();
    const NodeId id = g.node(op, size, arguments);
    if (g.size() != before) machine_.lines.emplace_back(id, line_);
    return id;
}

/// The group that runs next, joined with all others that stand where it does.
std::size_t Workgroup::choose() {
    const auto place = [](const Group& group) { return std::pair(group.block, group.next); };
    const auto lowest = [&] {
        std::size_t best = groups_.size();
        for (std::size_t i = 0; i < groups_.size(); ++i)
            if (!groups_[i].waits && (best == groups_.size() || place(groups_[i]) < place(groups_[best]))) best = i;
        return best;
    };
    std::size_t best = lowest();
    if (best == groups_.size()) { // all stand at barriers
        release();
        best = lowest();
    }
    for (std::size_t i = groups_.size(); i-- > 0;) {
        if (i == best || groups_[i].waits || place(groups_[i]) != place(groups_[best])) continue;
        for (unsigned lane = 0; lane < lanes_; ++lane) groups_[best].lanes[lane] |= groups_[i].lanes[lane];
        groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(i));
        if (i < best) --best;
    }
    return best;
}

void Workgroup::release() {
    for (Group& group : groups_) {
        group.waits = false;
        ++group.next;
    }
}

/// What the values of a block are on the way by which each lane came.
void Workgroup::enter(Group& group) {
    const auto& phis = machine_.code.blocks[group.block].phis;
    std::vector<std::vector<Code>> made;
    for (const Step& phi : phis) {
        const std::uint64_t size = bytes(phi.result);
        std::vector<Code>& into = made.emplace_back(size * lanes_, unwritten_byte);
        for (unsigned lane = 0; lane < lanes_; ++lane) {
            if (!active_[lane]) continue;
            const auto way = std::find(phi.numbers.begin(), phi.numbers.end(), came_from_[lane]);
            if (way == phi.numbers.end())
                throw Error(refusal(machine_.module, *phi.written, "it has no value for the way that is taken"));
            const auto given = codes(phi.operands[static_cast<std::size_t>(way - phi.numbers.begin())], lane);
            std::copy(given.begin(), given.end(), into.begin() + static_cast<std::ptrdiff_t>(lane * size));
        }
    }
    for (std::size_t i = 0; i < phis.size(); ++i) {
        room_.swap(made[i]);
        put(phis[i].result);
    }
}

void Workgroup::jump(const Step& step, std::size_t number) {
    const Group group = std::move(groups_[number]);
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(number));
    if (step.control == Control::end) return;
    const std::vector<std::uint64_t>* chosen = step.operands.empty() ? nullptr : &words(step.operands[0], "control");
    std::map<std::uint32_t, std::vector<std::uint8_t>> parts;
    for (unsigned lane = 0; lane < lanes_; ++lane) {
        if (!group.lanes[lane]) continue;
        std::uint32_t target = step.numbers[0];
        if (step.control == Control::branch && chosen != nullptr) {
            target = step.numbers[(*chosen)[lane] & 1 ? 0 : 1];
        } else if (step.control == Control::choice) {
            const auto found = std::find(step.cases.begin(), step.cases.end(), (*chosen)[lane]);
            if (found != step.cases.end())
                target = step.numbers[static_cast<std::size_t>(found - step.cases.begin()) + 1];
        }
        came_from_[lane] = group.block;
        auto& part = parts[target];
        part.resize(lanes_);
        part[lane] = 1;
    }
    for (auto& [target, part] : parts) groups_.push_back({.block = target, .next = 0, .lanes = std::move(part)});
}

void Workgroup::run() {
    groups_ = {{.block = 0, .next = 0, .lanes = std::vector<std::uint8_t>(lanes_, 1)}};
    while (!groups_.empty()) {
        const std::size_t number = choose();
        Group& group = groups_[number];
        active_ = group.lanes;
        all_active_ = std::count(active_.begin(), active_.end(), 1) == static_cast<std::ptrdiff_t>(lanes_);
        const CodeBlock& block = machine_.code.blocks[group.block];
        if (group.next == 0) enter(group);
        while (true) {
            const Step& step = block.steps[group.next];
            try {
                if (++machine_.steps > machine_.most_steps)
                    throw Error(sentence("the launch takes more than ", machine_.most_steps, " steps"));
                line_ = step.written->line;
                if (step.control == Control::on) {
                    if (step.run != nullptr) step.run(*this, step);
                    ++group.next;
                    continue;
                }
                if (step.control == Control::barrier)
                    group.waits = true;
                else
                    jump(step, number);
            } catch (const Error& error) {
                const std::string_view text = error.what();
                if (text.starts_with(machine_.module.file + ":")) throw;
                throw Error(refusal(machine_.module, *step.written, text));
            }
            break;
        }
    }
}

} // namespace discern::programs::amd
