// Moves between registers: whole, packed and unpacked, permuted bytes, conversions of integers, shuffles.
#include "block.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "opcodes.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

/// mov.b32 d, {a, b}; mov.b32 {a, b}, d; mov.b32 d, a. All are bytes in a row.
void move(Block& block, const Step& step) {
    const auto& to = step.operands[0].registers;
    const auto& from = step.operands[1].registers;
    if (to.size() == 1 && from.size() == 1)
        if (const std::uint64_t* known = block.known(from[0])) return block.put(to[0], known);
    const unsigned size = step.type.bytes, part = size / static_cast<unsigned>(to.size()),
                   given = size / static_cast<unsigned>(from.size());
    NewRegisters made(block, step.operands[0], part);
    std::vector<Code> all(size);
    block.each_lane([&](unsigned lane) {
        for (std::size_t i = 0; i < from.size(); ++i)
            if (from[i] != no_register) block.codes(from[i], lane, std::span(all).subspan(i * given, given));
        for (std::size_t i = 0; i < to.size(); ++i)
            std::ranges::copy(std::span(all).subspan(i * part, part), made.at(i, lane).begin());
    });
    made.write();
}

void decode_move(Decoder& decoder, const Instruction& at, Step& step) {
    step.type = decoder.type(at, 0);
    if (step.type.bytes == 0) step.type.bytes = 1;
    require_operands(step, 2);
    for (const Place& place : step.operands)
        if (step.type.bytes % place.registers.size() != 0 || place.is_address)
            throw Error("the list does not fit the type");
    step.run = move;
}

/// mode[0]: 1 if the address becomes generic, 2 if it becomes one of the space.
void convert_address(Block& block, const Step& step) {
    const std::uint64_t* from = block.values(step.operands[1].reg(), "the address");
    static constexpr std::uint64_t windows[] = {0, shared_window, local_window, parameter_window};
    const std::uint64_t window = windows[step.mode[1]];
    // A parameter's address may have been moved through a register of 32 bits, or of 64.
    const std::uint64_t bits = step.mode[1] == 3 ? window_size - 1 : ~std::uint64_t(0);
    block.put_each(step.operands[0].reg(), [&](unsigned lane) {
        return step.mode[0] == 2 ? from[lane] - window : (from[lane] & bits) + window;
    });
}

void decode_address(Decoder&, const Instruction& at, Step& step) {
    require_operands(step, 2);
    step.mode[0] = at.has("to") ? 2 : 1;
    step.mode[1] = at.has_prefix("shared")  ? 1
                   : at.has("local")        ? 2
                   : at.has_prefix("param") ? 3
                                            : 0; // global addresses are as they are
    step.run = convert_address;
}

/// The address of the same byte in another block of the cluster.
void map_shared(Block& block, const Step& step) {
    const std::uint64_t* address = block.values(step.operands[1].reg(), "the address");
    const std::uint64_t* rank = block.values(step.operands[2].reg(), "the block");
    block.put_each(step.operands[0].reg(), [&](unsigned lane) {
        if (rank[lane] >= block.ranks())
            throw Error(sentence("there is no block ", rank[lane], " (from 0) in a cluster of ", block.ranks()));
        return with_rank(address[lane], rank[lane]);
    });
}
/// The block of the cluster in whose shared memory an address is.
void rank_of(Block& block, const Step& step) {
    const std::uint64_t* address = block.values(step.operands[1].reg(), "the address");
    block.put_each(step.operands[0].reg(), [&](unsigned lane) { return address[lane] >> rank_shift & 0xff; });
}

void permute(Block& block, const Step& step) {
    const std::uint64_t* selector = block.values(step.operands[3].reg(), "the permutation");
    block.make_each(step.operands[0].reg(), 4, [&](unsigned lane, std::span<Code> into) {
        Code from[8];
        block.codes(step.operands[1].reg(), lane, {from, 4});
        block.codes(step.operands[2].reg(), lane, {from + 4, 4});
        for (unsigned i = 0; i < 4; ++i) {
            const auto nibble = static_cast<unsigned>(selector[lane] >> (4 * i)) & 15;
            Code code = from[nibble & 7];
            if ((nibble & 8) != 0) {
                if (!is_known(code)) throw Error("it copies the sign of data");
                code = (code & 128) != 0 ? 255 : 0;
            }
            into[i] = code;
        }
    });
}

/// Of integers: truncation, or extension by the sign.
void convert(Block& block, const Step& step) {
    const unsigned to = step.type.bytes, from = step.from.bytes;
    const bool is_signed = step.from.letter == 's';
    if (const std::uint64_t* known = block.known(step.operands[1].reg())) {
        const auto low_bytes = [](std::uint64_t word, unsigned bytes) {
            return bytes < 8 ? word & ((std::uint64_t(1) << (8 * bytes)) - 1) : word;
        };
        return block.put_each(step.operands[0].reg(), [&](unsigned lane) {
            const std::uint64_t word = low_bytes(known[lane], from);
            return low_bytes(is_signed ? static_cast<std::uint64_t>(with_sign(word, 8 * from)) : word, to);
        });
    }
    block.make_each(step.operands[0].reg(), to, [&](unsigned lane, std::span<Code> into) {
        Code room[8];
        block.codes(step.operands[1].reg(), lane, {room, from});
        if (to > from && is_signed) {
            const NodeId argument[1] = {block.graph().of_codes({room, from})};
            block.graph().to_codes(block.graph().node(step.operations[0], to, argument), into);
        } else {
            std::copy_n(room, std::min(to, from), into.begin());
        }
    });
}

void decode_convert(Decoder& decoder, const Instruction& at, Step& step) {
    step.type = decoder.type(at, 1);
    step.from = decoder.type(at, 0);
    if (step.type.letter == 'f' || step.from.letter == 'f') return decode_number(decoder, at, step);
    if (at.parts.size() != 3 || step.type.bytes > 8 || step.from.bytes > 8 || step.from.bytes == 0)
        throw Error("this conversion is not read");
    require_operands(step, 2);
    step.operations = {decoder.graph().operation(at.opcode)};
    step.run = convert;
}

enum Shuffle : std::uint32_t { up, down, bfly, idx };

/// The lane of the warp from which each one reads, and whether it is in range.
std::pair<unsigned, bool> source_of(std::uint32_t mode, unsigned lane, std::uint64_t b, std::uint64_t c) {
    const auto by = static_cast<unsigned>(b & 31), clamp = static_cast<unsigned>(c & 31),
               segments = static_cast<unsigned>(c >> 8 & 31);
    const unsigned most = (lane & segments) | (clamp & ~segments), least = lane & segments;
    switch (mode) {
    case up: return {lane - by, static_cast<int>(lane) - static_cast<int>(by) >= static_cast<int>(most)};
    case down: return {lane + by, lane + by <= most};
    case bfly: return {lane ^ by, (lane ^ by) <= most};
    default: break;
    }
    const unsigned from = least | (by & ~segments);
    return {from, from <= most};
}

void shuffle(Block& block, const Step& step) {
    const std::uint64_t* b = block.values(step.operands[2].reg(), "the lane");
    const std::uint64_t* c = block.values(step.operands[3].reg(), "the clamp");
    std::vector<Code> within(block.lanes(), 0);
    block.make_each(step.operands[0].reg(), 4, [&](unsigned lane, std::span<Code> into) {
        const unsigned warp = lane / lanes_of_warp * lanes_of_warp;
        const auto [from, inside] = source_of(step.mode[0], lane - warp, b[lane], c[lane]);
        const unsigned source = inside ? warp + from : lane;
        if (!block.is_active(source))
            throw Error(sentence("thread ", lane, " reads from thread ", source, ", which does not run it"));
        block.codes(step.operands[1].reg(), source, into);
        within[lane] = inside;
    });
    if (step.operands[0].second != no_register) block.put_codes(step.operands[0].second, within, 1);
}

void decode_shuffle(Decoder&, const Instruction& at, Step& step) {
    constexpr std::string_view names[] = {"up", "down", "bfly", "idx"};
    require_operands(step, 4);
    const auto mode =
        std::find_if(std::begin(names), std::end(names), [&](std::string_view name) { return at.has(name); });
    if (mode == std::end(names)) throw Error("its mode is missing");
    step.mode[0] = static_cast<std::uint32_t>(mode - std::begin(names));
    step.run = shuffle;
}

} // namespace

std::span<const Opcode> move_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"mov", decode_move},
        {"cvta", decode_address, "to global shared* local const param*"},
        {"mapa", decode_plain<map_shared, 3>, "shared::cluster"},
        {"getctarank", decode_plain<rank_of, 2>, "shared::cluster"},
        {"prmt", decode_plain<permute, 4>},
        {"cvt", decode_convert, "*"}, // the name of a function has them
        {"shfl", decode_shuffle, "sync up down bfly idx"},
    };
    return opcodes;
}

} // namespace discern::programs
