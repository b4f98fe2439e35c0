// Values that go from lane to lane, and what a lane knows of its place. From AMD's ISA documents and LLVM's description
// of the intrinsics.
#include "elements.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <bit>

namespace discern::programs::amd {

namespace {

using llir::Instruction;

constexpr std::int32_t no_lane = -1;

constexpr std::string_view places[] = {"amdgcn.workitem.id.x",  "amdgcn.workitem.id.y",  "amdgcn.workitem.id.z",
                                       "amdgcn.workgroup.id.x", "amdgcn.workgroup.id.y", "amdgcn.workgroup.id.z",
                                       "amdgcn.wave.id",        "amdgcn.wavefrontsize",  "amdgcn.dispatch.ptr",
                                       "amdgcn.implicitarg.ptr"};

/// Number: which of the places.
void place(Workgroup& group, const Step& step) {
    const Machine& machine = group.machine();
    const auto& size = machine.block;
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        const std::uint64_t values[] = {
            lane % size[0],   lane / size[0] % size[1], lane / (size[0] * size[1]), group.index(0),
            group.index(1),   group.index(2),           lane / machine.wave,        machine.wave,
            machine.dispatch, machine.implicit};
        static_assert(std::size(values) == std::size(places));
        from_word(values[step.numbers[0]], into);
    });
}
void decode_place(Decoder&, const Instruction& at, Step& step) {
    const auto* const found = std::ranges::find(places, at.what.substr(5));
    if (found == std::end(places)) throw Error("this intrinsic is not read");
    step.numbers = {static_cast<std::uint32_t>(found - std::begin(places))};
    step.run = place;
}

/// The lanes below that a mask names: of the first 32 lanes, or of the others.
void count_below(Workgroup& group, const Step& step) {
    const auto &mask = group.words(step.operands[0], "the mask"), &sum = group.words(step.operands[1], "the sum");
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        const unsigned own = lane % group.wave(), first = step.numbers[0];
        const unsigned count = own <= first ? 0 : std::min(own - first, 32u);
        const std::uint64_t below = count >= 32 ? 0xffffffff : (std::uint64_t(1) << count) - 1;
        from_word((sum[lane] + static_cast<std::uint64_t>(std::popcount(mask[lane] & below))) & 0xffffffff, into);
    });
}
void decode_count(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 2);
    step.numbers = {at.what.ends_with("hi") ? 32u : 0u};
    step.run = count_below;
}

void ballot(Workgroup& group, const Step& step) {
    const auto& chosen = group.words(step.operands[0], "the vote");
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        std::uint64_t votes = 0;
        const unsigned first = group.first_of_wave(lane);
        for (unsigned i = 0; i < group.wave(); ++i)
            votes |= std::uint64_t(group.is_active(first + i) && (chosen[first + i] & 1) != 0) << i;
        from_word(votes, into);
    });
}

/// Each lane takes the value of another: source(lane) within the wave, or, for no_lane, what `missing` gives.
template <typename Missing, typename Source>
void exchange(Workgroup& group, const Step& step, std::uint32_t from, const Missing& missing, const Source& source) {
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        const auto other = static_cast<std::int32_t>(source(lane));
        std::ranges::copy(other == no_lane
                              ? missing(lane)
                              : group.codes(from, group.first_of_wave(lane) + static_cast<unsigned>(other)),
                          into.begin());
    });
}
std::span<const Code> none(unsigned) { throw Error("it reads a lane that is not there"); }

void read_lane(Workgroup& group, const Step& step) {
    const bool is_first = step.operands.size() == 1;
    const std::vector<std::uint64_t> chosen =
        is_first ? std::vector<std::uint64_t>() : group.words(step.operands[1], "the lane");
    exchange(group, step, step.operands[0], none,
             [&](unsigned lane) { return (is_first ? group.leader(lane) : chosen[lane]) % group.wave(); });
}
void decode_read_lane(Decoder&, const Instruction& at, Step& step) {
    const bool is_first = at.what.starts_with("llvm.amdgcn.readfirstlane");
    require_operands(at, is_first ? 1 : 2);
    step.operands.resize(is_first ? 1 : 2);
    require_type(at, 0, 1);
    step.run = read_lane;
}

/// The lane that a control of DPP reads, or none behind the end of a row.
std::int32_t dpp_source(std::uint32_t control, std::int32_t lane) {
    const std::int32_t row = lane / 16 * 16, own = lane % 16, n = static_cast<std::int32_t>(control & 15);
    if (control < 0x100) return lane / 4 * 4 + static_cast<std::int32_t>(control >> (2 * (lane % 4)) & 3);
    if (control > 0x100 && control < 0x110) return own + n < 16 ? lane + n : no_lane;
    if (control > 0x110 && control < 0x120) return own >= n ? lane - n : no_lane;
    if (control > 0x120 && control < 0x130) return row + (own + 16 - n) % 16;
    if (control == 0x140) return row + 15 - own;
    if (control == 0x141) return lane / 8 * 8 + 7 - lane % 8;
    if (control == 0x142) return row > 0 ? row - 1 : no_lane;
    if (control == 0x143) return lane >= 32 ? 31 : no_lane;
    if (control >= 0x150 && control < 0x160) return row + n;
    if (control >= 0x160 && control < 0x170) return row + (own ^ n);
    throw Error(sentence("the control ", control, " of DPP is not read"));
}

/// Numbers: control, masks of rows and of banks, whether a lane that is missing is 0. Operands: the value, and, if
/// there is one, what lanes keep.
void dpp(Workgroup& group, const Step& step) {
    const std::uint64_t size = group.bytes(step.result);
    const std::vector<Code> zeros(size, 0), nothing(size, unwritten_byte);
    const auto is_off = [&](unsigned own) {
        return (step.numbers[1] >> own / 16 % 4 & 1) == 0 || (step.numbers[2] >> own % 16 / 4 & 1) == 0;
    };
    const auto missing = [&](unsigned lane) -> std::span<const Code> {
        if (!is_off(lane % group.wave()) && step.numbers[3] != 0) return zeros;
        return step.operands.size() > 1 ? group.codes(step.operands[1], lane) : nothing;
    };
    exchange(group, step, step.operands[0], missing, [&](unsigned lane) {
        const unsigned own = lane % group.wave(), first = lane - own;
        if (is_off(own)) return no_lane;
        const std::int32_t source = dpp_source(step.numbers[0], static_cast<std::int32_t>(own));
        const bool is_there = source != no_lane && static_cast<unsigned>(source) < group.wave() &&
                              group.is_active(first + static_cast<unsigned>(source));
        return is_there ? source : no_lane;
    });
}
void decode_dpp(Decoder&, const Instruction& at, Step& step) {
    const bool keeps = at.what.starts_with("llvm.amdgcn.update.dpp");
    const std::size_t first = keeps ? 2 : 1;
    for (std::size_t i = 0; i < 4; ++i) step.numbers.push_back(constant(at, first + i));
    require_type(at, 0, first);
    if (keeps) std::swap(step.operands[0], step.operands[1]);
    step.operands.resize(first);
    dpp_source(step.numbers[0], 0);
    step.run = dpp;
}

/// Through LDS' crossbar: a lane that does not run gives 0.
void backward(Workgroup& group, const Step& step) {
    const std::vector<std::uint64_t> index = group.words(step.operands[0], "the lane");
    const Code zeros[4] = {};
    const auto missing = [&](unsigned) { return std::span<const Code>(zeros); };
    exchange(group, step, step.operands[1], missing, [&](unsigned lane) {
        const auto source = static_cast<std::int32_t>(index[lane] / 4 % group.wave());
        return group.is_active(group.first_of_wave(lane) + static_cast<unsigned>(source)) ? source : no_lane;
    });
}
void decode_backward(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 2);
    if (at.type->size != 4 || at.operands[0].type->size != 4 || at.operands[1].type->size != 4)
        throw Error("this intrinsic is not read");
    step.run = backward;
}

void swizzle(Workgroup& group, const Step& step) {
    const std::uint32_t pattern = step.numbers[0];
    exchange(group, step, step.operands[0], none, [&](unsigned lane) {
        const unsigned own = lane % group.wave();
        if ((pattern & 0x8000) != 0) return own / 4 * 4 + (pattern >> (2 * (own % 4)) & 3);
        return own / 32 * 32 + ((((own & 31) & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31));
    });
}
void decode_swizzle(Decoder&, const Instruction& at, Step& step) {
    step.numbers = {constant(at, 1)};
    if (at.type->size != 4 || (step.numbers[0] & ~0x7fffu) > 0x80ff) throw Error("this intrinsic is not read");
    step.operands.resize(1);
    step.run = swizzle;
}

/// Two registers change halves: the upper lanes of the one with the lower of the other, of every so many.
void swap_halves(Workgroup& group, const Step& step) {
    const unsigned half = step.numbers[0];
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        const bool is_upper = lane / half % 2 != 0;
        const std::uint32_t from = step.operands[is_upper ? 1 : 0];
        std::ranges::copy(group.codes(from, is_upper ? lane - half : lane), into.begin());
        std::ranges::copy(group.codes(from, is_upper ? lane : lane + half), &into[4]);
    });
}
void decode_swap(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 2);
    if (at.type->size != 8 || at.operands[0].type->size != 4 || at.operands[1].type->size != 4)
        throw Error("this intrinsic is not read");
    step.numbers = {at.what.starts_with("llvm.amdgcn.permlane32") ? 32u : 16u};
    step.run = swap_halves;
}

/// Of each row of 16 lanes any lane, by 16 numbers of four bits: of the own row, or of that beside it.
void permute_row(Workgroup& group, const Step& step) {
    const std::vector<std::uint64_t> low = group.words(step.operands[2], "the lane"),
                                     high = group.words(step.operands[3], "the lane");
    exchange(group, step, step.operands[1], none, [&](unsigned lane) {
        const unsigned own = lane % group.wave(), row = own / 16 ^ step.numbers[0];
        const std::uint64_t chosen = (low[lane] & 0xffffffff) | high[lane] << 32;
        return row * 16 + (chosen >> (4 * (own % 16)) & 15);
    });
}
void decode_permute_row(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 4);
    require_type(at, 1, 1);
    step.numbers = {at.what.starts_with("llvm.amdgcn.permlanex16")};
    step.run = permute_row;
}

void other_half(Workgroup& group, const Step& step) {
    if (group.wave() != 64) throw Error("a wave has 64 lanes where this is used");
    exchange(group, step, step.operands[0], none, [](unsigned lane) { return lane % 64 ^ 32; });
}

/// Bytes of two words by a selector of four: 0 to 3 are of the second.
void permute_bytes(Workgroup& group, const Step& step) {
    const std::vector<std::uint64_t> selector = group.words(step.operands[2], "the permutation");
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        const auto high = group.codes(step.operands[0], lane), low = group.codes(step.operands[1], lane);
        for (unsigned i = 0; i < 4; ++i) {
            const auto n = static_cast<unsigned>(selector[lane] >> (8 * i) & 255);
            if (n >= 8 && n < 12) throw Error("copies of signs are not read");
            into[i] = n < 4 ? low[n] : n < 8 ? high[n - 4] : n == 12 ? 0 : 255;
        }
    });
}
void decode_permute_bytes(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 3);
    if (at.type->size != 4) throw Error("this intrinsic is not read");
    step.run = permute_bytes;
}

} // namespace

std::span<const Opcode> place_intrinsics() {
    static constexpr auto opcodes = [] {
        std::array<Opcode, std::size(places)> made{};
        for (std::size_t i = 0; i < std::size(places); ++i) made[i] = {places[i], decode_place};
        return made;
    }();
    return opcodes;
}

std::span<const Opcode> lane_intrinsics() {
    static constexpr Opcode opcodes[] = {{"amdgcn.mbcnt.lo", decode_count},
                                         {"amdgcn.mbcnt.hi", decode_count},
                                         {"amdgcn.ballot", decode_plain<ballot, 1>},
                                         {"amdgcn.readfirstlane", decode_read_lane},
                                         {"amdgcn.readlane", decode_read_lane},
                                         {"amdgcn.update.dpp", decode_dpp},
                                         {"amdgcn.mov.dpp", decode_dpp},
                                         {"amdgcn.ds.bpermute", decode_backward},
                                         {"amdgcn.ds.swizzle", decode_swizzle},
                                         {"amdgcn.permlane32.swap", decode_swap},
                                         {"amdgcn.permlane16.swap", decode_swap},
                                         {"amdgcn.permlane16", decode_permute_row},
                                         {"amdgcn.permlanex16", decode_permute_row},
                                         {"amdgcn.permlane64", decode_plain<other_half, 1>},
                                         {"amdgcn.perm", decode_permute_bytes}};
    return opcodes;
}

} // namespace discern::programs::amd
