#include "block.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace discern::programs {

namespace {

unsigned product(const std::array<unsigned, 3>& sizes) { return sizes[0] * sizes[1] * sizes[2]; }

} // namespace

Block::Block(Machine& machine, std::array<unsigned, 3> index)
    : waits(product(machine.block) * product(machine.cluster), machine.shared_bytes * product(machine.cluster)),
      machine_(machine), index_(index), threads_(product(machine.block)), ranks_(product(machine.cluster)),
      lanes_(threads_ * ranks_), shared_(machine.shared_bytes * ranks_, unwritten_byte),
      local_(machine.local_bytes == 0 ? 0 : lanes_), meetings_(lanes_) {
    carry.resize(lanes_);
    for (auto& room : rooms_) room.resize(lanes_);
    for (auto& memory : local_) memory.assign(machine.local_bytes, unwritten_byte);
    const auto& sizes = machine.program.registers;
    registers_.resize(sizes.size() + machine.code.fixed.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) registers_[i].bytes = std::max<std::uint8_t>(sizes[i], 1);
    for (std::size_t i = 0; i < machine.code.fixed.size(); ++i)
        fill_fixed(machine.code.fixed[i], registers_[sizes.size() + i]);
}

std::uint64_t Block::special(std::uint64_t which, unsigned lane) const {
    const auto& size = machine_.block;
    const auto& cluster = machine_.cluster;
    const auto& grid = machine_.grid;
    const unsigned rank = lane / threads_, thread = lane % threads_;
    const std::array<unsigned, 3> in_cluster{rank % cluster[0], rank / cluster[0] % cluster[1],
                                             rank / (cluster[0] * cluster[1])};
    using Directions = std::array<unsigned, 3>;
    const auto each = [](const auto& of) { return Directions{of(0), of(1), of(2)}; };
    const Directions vectors[] = {{thread % size[0], thread / size[0] % size[1], thread / (size[0] * size[1])},
                                  size,
                                  each([&](std::size_t d) { return index_[d] + in_cluster[d]; }),
                                  grid,
                                  each([&](std::size_t d) { return index_[d] / cluster[d]; }),
                                  each([&](std::size_t d) { return grid[d] / cluster[d]; }),
                                  in_cluster,
                                  cluster};
    static_assert(std::size(vectors) == std::size(vector_registers));
    if (which < 3 * std::size(vectors)) return vectors[which / 3][which % 3];
    const unsigned own = lane % lanes_of_warp;
    const std::uint64_t scalars[] = {own,
                                     thread / lanes_of_warp,
                                     rank,
                                     ranks_,
                                     (std::uint64_t(1) << own) - 1,
                                     std::uint64_t(1) << own,
                                     machine_.shared_bytes,
                                     machine_.dynamic_shared,
                                     0,
                                     0,
                                     0};
    static_assert(std::size(scalars) == std::size(scalar_registers));
    return scalars[which - 3 * std::size(vectors)];
}

void Block::fill_fixed(const FixedRegister& what, Register& into) {
    using Of = FixedRegister::Kind;
    into.bytes = 8;
    into.state = Register::State::known;
    into.values.resize(lanes_);
    const bool is_shared = what.kind == Of::variable && machine_.program.variables[what.index].space == Space::shared;
    for (unsigned lane = 0; lane < lanes_; ++lane)
        into.values[lane] =
            what.kind == Of::special ? special(what.value, lane)
            : is_shared              ? with_rank(machine_.variable_addresses[what.index] + what.value, lane / threads_)
            : what.kind == Of::variable  ? machine_.variable_addresses[what.index] + what.value
            : what.kind == Of::parameter ? parameter_window + machine_.parameter_offsets[what.index] + what.value
                                         : what.value;
}

bool Block::whole_group(unsigned index, unsigned size) const {
    unsigned running = 0;
    for (unsigned lane = index * size; lane < (index + 1) * size; ++lane) running += active_[lane];
    if (running != 0 && running != size)
        throw Error(sentence("only ", running, " of the ", size, " threads that must run this together do"));
    return running != 0;
}

unsigned Block::only_lane() const {
    const auto first = std::find(active_.begin(), active_.end(), 1);
    if (std::find(first + 1, active_.end(), 1) != active_.end()) throw Error("more than one thread runs this");
    return static_cast<unsigned>(first - active_.begin());
}

const std::uint64_t* Block::known(std::uint32_t number) {
    if (number == no_register) throw Error("_ is read");
    Register& reg = registers_[number];
    if (reg.state == Register::State::known) return reg.values.data();
    if (reg.state == Register::State::unwritten || reg.bytes > 8) return nullptr;
    auto& room = rooms_[room_++ % rooms_.size()];
    for (unsigned lane = 0; lane < lanes_; ++lane)
        if (!to_word(std::span(reg.codes).subspan(std::size_t(lane) * reg.bytes, reg.bytes), room[lane]) &&
            is_active(lane))
            return nullptr;
    return room.data();
}

const std::uint64_t* Block::values(std::uint32_t reg, std::string_view what) {
    const std::uint64_t* found = known(reg);
    if (found == nullptr && registers_[reg].state == Register::State::unwritten)
        throw Error(sentence(what, " is in a register that nothing has written"));
    if (found == nullptr) throw Error(sentence(what, " depends on data"));
    return found;
}

const std::uint64_t* Block::addresses(const Place& place) {
    if (!place.is_address) throw Error("an address in brackets is missing");
    const std::uint64_t* base = values(place.reg(), "the address");
    if (place.offset == 0) return base;
    auto& room = rooms_[room_++ % rooms_.size()];
    for (unsigned lane = 0; lane < lanes_; ++lane) room[lane] = base[lane] + static_cast<std::uint64_t>(place.offset);
    return room.data();
}

void Block::codes(std::uint32_t number, unsigned lane, std::span<Code> into) const {
    if (number == no_register) throw Error("_ is read");
    const Register& reg = registers_[number];
    if (reg.state == Register::State::known) return from_word(reg.values[lane], into);
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] = i >= reg.bytes                            ? 0
                  : reg.state == Register::State::unwritten ? unwritten_byte
                                                            : reg.codes[lane * reg.bytes + i];
}

void Block::put(std::uint32_t number, const std::uint64_t* values) {
    if (number == no_register) return;
    if (number >= machine_.program.registers.size()) throw Error("it writes what is no register");
    Register& reg = registers_[number];
    const std::uint64_t mask = reg.bytes >= 8 ? ~std::uint64_t(0) : (std::uint64_t(1) << (8 * reg.bytes)) - 1;
    if (reg.bytes == 16) {
        std::vector<Code> all(std::size_t(lanes_) * 16);
        for (std::size_t lane = 0; lane < lanes_; ++lane)
            from_word(values[lane], std::span(all).subspan(lane * 16, 16));
        return put_codes(number, all, 16);
    }
    if (all_active_ || (reg.state == Register::State::known)) {
        if (values == reg.values.data()) return;
        reg.values.resize(lanes_);
        reg.state = Register::State::known;
        for (unsigned lane = 0; lane < lanes_; ++lane)
            if (active_[lane]) reg.values[lane] = values[lane] & mask;
        return;
    }
    make_symbolic(reg);
    each_lane(
        [&](std::size_t lane) { from_word(values[lane], std::span(reg.codes).subspan(lane * reg.bytes, reg.bytes)); });
}

void Block::make_symbolic(Register& reg) {
    if (reg.state == Register::State::symbolic) return;
    reg.codes.assign(std::size_t(lanes_) * reg.bytes, unwritten_byte);
    if (reg.state == Register::State::known)
        for (std::size_t i = 0; i < reg.codes.size(); ++i)
            reg.codes[i] = (reg.values[i / reg.bytes] >> (8 * (i % reg.bytes))) & 255;
    reg.state = Register::State::symbolic;
}

void Block::put_codes(std::uint32_t number, std::span<const Code> codes, unsigned size) {
    if (number == no_register) return;
    if (number >= machine_.program.registers.size()) throw Error("it writes what is no register");
    Register& reg = registers_[number];
    bool all_known = reg.bytes <= 8;
    for (std::size_t lane = 0; lane < lanes_ && all_known; ++lane)
        for (std::size_t i = 0; i < size && active_[lane]; ++i) all_known &= is_known(codes[lane * size + i]);
    if (all_known) {
        auto& room = rooms_[room_++ % rooms_.size()];
        each_lane([&](std::size_t lane) { to_word(codes.subspan(lane * size, size), room[lane]); });
        return put(number, room.data());
    }
    if (all_active_) {
        reg.codes.resize(std::size_t(lanes_) * reg.bytes);
        reg.state = Register::State::symbolic;
    } else {
        make_symbolic(reg);
    }
    for (std::size_t lane = 0; lane < lanes_; ++lane)
        for (unsigned i = 0; i < reg.bytes && active_[lane]; ++i)
            reg.codes[lane * reg.bytes + i] = i < size ? codes[lane * size + i] : 0;
}

Code* Block::at(std::string_view space, std::uint64_t address, std::size_t bytes, unsigned lane, Access what) {
    const auto in = [&](std::uint64_t window) { return address >= window && address < window + window_size; };
    const auto within = [&](std::span<Code> memory, std::uint64_t from, std::string_view name) {
        if (from > memory.size() || memory.size() - from < bytes)
            throw Error(sentence("thread ", lane, " accesses ", bytes, " bytes at ", from, " of ", name,
                                 " memory, of which there are ", memory.size()));
        return memory.data() + from;
    };
    if (space.starts_with("shared") || in(shared_window)) {
        std::uint64_t from = address & (window_size - 1), first = 0;
        if (ranks_ > 1) {
            if (from >> rank_shift >= ranks_)
                throw Error(sentence("thread ", lane, " accesses the shared memory of block ", from >> rank_shift,
                                     " of a cluster of ", ranks_));
            first = (from >> rank_shift) * machine_.shared_bytes;
            from = with_rank(from, 0);
        }
        Code* const found = within(std::span(shared_).subspan(first, machine_.shared_bytes), from, "shared");
        waits.access(what, lane, first + from, {found, bytes});
        return found;
    }
    if (space == "local" || in(local_window)) {
        if (local_.empty()) throw Error("the entry has no local memory");
        return within(local_[lane], address & (window_size - 1), "local");
    }
    if (space.starts_with("param") || in(parameter_window)) {
        if (writes(what)) throw Error("it writes to a parameter");
        return within(machine_.parameters, address & (window_size - 1), "parameter");
    }
    return machine_.memory.at(address, bytes, writes(what));
}

namespace {

/// Whether the assembler, which may not know these numbers, may fuse the product with a sum, and other bits come of it.
bool is_inexact_product(std::string_view name, const std::uint64_t* factors, std::uint64_t product) {
    if (!name.starts_with("mul.") || name.find(".r") != std::string_view::npos) return false;
    if (name.ends_with("f16") || name.ends_with("f64")) return true;
    const auto f32 = [](std::uint64_t bits) { return double(std::bit_cast<float>(static_cast<std::uint32_t>(bits))); };
    const double exact = f32(factors[0]) * f32(factors[1]);
    return name.ends_with("f32") && exact != f32(product) && !std::isnan(exact);
}

} // namespace

NodeId Block::apply(OpId op, std::size_t size, std::span<const NodeId> arguments) {
    Graph& g = graph();
    bool all_known = !arguments.empty();
    for (const NodeId argument : arguments) all_known &= g.kind(argument) == Kind::constant;
    if (all_known) {
        if (functions_.size() <= op) functions_.resize(op + 1);
        if (!functions_[op]) functions_[op] = function_of(g.operation(op).name);
        if (const Function& function = *functions_[op]; function && function.is_exact) {
            std::uint64_t words[4] = {};
            for (std::size_t i = 0; i < std::min<std::size_t>(arguments.size(), 4); ++i)
                words[i] = g.bits(arguments[i]);
            const std::uint64_t value = function(words);
            if (machine_.numbers != nullptr || !is_inexact_product(g.operation(op).name, words, value))
                return g.constant(value, size);
        }
    }
    const std::size_t before = g.size();
    const NodeId id = g.node(op, size, arguments);
    if (g.size() != before) machine_.lines.emplace_back(id, line_);
    return id;
}

Mbarrier& Block::mbarrier(std::uint64_t address) {
    const auto found = mbarriers.find(address & (window_size - 1));
    if (found == mbarriers.end())
        throw Error(sentence("at ", address & (window_size - 1), " of shared memory no mbarrier was made"));
    return found->second;
}

void Block::look_at(std::uint64_t address) {
    Mbarrier& at = mbarrier(address);
    if (at.pending <= 0 && at.bytes == 0) {
        at.phase = !at.phase;
        at.pending = at.count;
        waits.complete(address & (window_size - 1));
    }
    wake();
}

std::vector<Code>& Block::tensor_memory() {
    if (ranks_ > 1) throw Error("tensor memory of a cluster of several blocks is not read");
    if (tensor_memory_.empty()) tensor_memory_.assign(std::size_t(128) * 512 * 4, unwritten_byte);
    return tensor_memory_;
}

} // namespace discern::programs
