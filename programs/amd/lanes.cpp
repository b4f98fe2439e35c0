// Values that go from lane to lane, and what a lane knows of its place. From AMD's ISA documents and LLVM's description
// of the intrinsics.
#include "elements.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <bit>
#include <functional>

namespace discern::programs::amd {

namespace {

using llir::Instruction;

constexpr std::int32_t no_lane = -1;

void put_words(Workgroup& group, const Step& step, const std::function<std::uint64_t(unsigned)>& of) {
    std::vector<Code>& room = group.room(step.result);
    const std::uint64_t size = group.bytes(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane)
        if (group.is_active(lane)) from_word(of(lane), std::span(room).subspan(lane * size, size));
    group.put(step.result);
}

enum Where : std::uint32_t {
    item_x,
    item_y,
    item_z,
    group_x,
    group_y,
    group_z,
    wave_id,
    wave_size,
    dispatch,
    implicit
};
struct PlaceRow {
    std::string_view name;
    Where where;
};
constexpr PlaceRow places[] = {{"amdgcn.workitem.id.x", item_x},   {"amdgcn.workitem.id.y", item_y},
                               {"amdgcn.workitem.id.z", item_z},   {"amdgcn.workgroup.id.x", group_x},
                               {"amdgcn.workgroup.id.y", group_y}, {"amdgcn.workgroup.id.z", group_z},
                               {"amdgcn.wave.id", wave_id},        {"amdgcn.wavefrontsize", wave_size},
                               {"amdgcn.dispatch.ptr", dispatch},  {"amdgcn.implicitarg.ptr", implicit}};

void place(Workgroup& group, const Step& step) {
    const Machine& machine = group.machine();
    const auto& size = machine.block;
    put_words(group, step, [&](unsigned lane) -> std::uint64_t {
        const std::uint64_t values[] = {
            lane % size[0],   lane / size[0] % size[1], lane / (size[0] * size[1]), group.index(0),
            group.index(1),   group.index(2),           lane / machine.wave,        machine.wave,
            machine.dispatch, machine.implicit};
        return values[step.numbers[0]];
    });
}
void decode_place(Decoder&, const Instruction& at, Step& step) {
    const std::string_view name = at.what.substr(5);
    for (const PlaceRow& row : places)
        if (name == row.name) step.numbers = {row.where};
    if (step.numbers.empty()) throw Error("this intrinsic is not read");
    step.run = place;
}

/// The lanes below that a mask names: of the first 32 lanes, or of the others.
void count_below(Workgroup& group, const Step& step) {
    const auto &mask = group.words(step.operands[0], "the mask"), &sum = group.words(step.operands[1], "the sum");
    put_words(group, step, [&](unsigned lane) -> std::uint64_t {
        const unsigned own = lane % group.wave(), first = step.numbers[0];
        const unsigned count = own <= first ? 0 : std::min(own - first, 32u);
        const std::uint64_t below = count >= 32 ? 0xffffffff : (std::uint64_t(1) << count) - 1;
        return (sum[lane] + static_cast<std::uint64_t>(std::popcount(mask[lane] & below))) & 0xffffffff;
    });
}
void decode_count(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 2);
    step.numbers = {at.what.ends_with("hi") ? 32u : 0u};
    step.run = count_below;
}

void ballot(Workgroup& group, const Step& step) {
    const auto& chosen = group.words(step.operands[0], "the vote");
    put_words(group, step, [&](unsigned lane) {
        std::uint64_t votes = 0;
        const unsigned first = lane / group.wave() * group.wave();
        for (unsigned i = 0; i < group.wave(); ++i)
            votes |= std::uint64_t(group.is_active(first + i) && (chosen[first + i] & 1) != 0) << i;
        return votes;
    });
}
void decode_ballot(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 1);
    step.run = ballot;
}

/// Each lane takes the value of another: source(lane) within the wave, or what `missing` gives.
template <typename Source, typename Missing>
void exchange(Workgroup& group, const Step& step, std::uint32_t from, const Source& source, const Missing& missing) {
    std::vector<Code>& room = group.room(step.result);
    const std::uint64_t size = group.bytes(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        const unsigned first = lane / group.wave() * group.wave();
        const std::int32_t other = source(lane);
        const auto codes = other == no_lane ? missing(lane) : group.codes(from, first + static_cast<unsigned>(other));
        std::copy(codes.begin(), codes.end(), room.begin() + static_cast<std::ptrdiff_t>(lane * size));
    }
    group.put(step.result);
}
std::span<const Code> none(unsigned) { throw Error("it reads a lane that is not there"); }

void read_lane(Workgroup& group, const Step& step) {
    const bool is_first = step.operands.size() == 1;
    const std::vector<std::uint64_t> chosen =
        is_first ? std::vector<std::uint64_t>() : group.words(step.operands[1], "the lane");
    exchange(
        group, step, step.operands[0],
        [&](unsigned lane) {
            if (!is_first) return static_cast<std::int32_t>(chosen[lane] % group.wave());
            unsigned leader = lane / group.wave() * group.wave();
            while (!group.is_active(leader)) ++leader;
            return static_cast<std::int32_t>(leader % group.wave());
        },
        none);
}
void decode_read_lane(Decoder&, const Instruction& at, Step& step) {
    const bool is_first = at.what.starts_with("llvm.amdgcn.readfirstlane");
    require_operands(at, is_first ? 1 : 2);
    step.operands.resize(is_first ? 1 : 2);
    if (at.operands[0].type != at.type) throw Error("the types of its operands do not fit");
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
    const auto kept = [&](unsigned lane) -> std::span<const Code> {
        return step.operands.size() > 1 ? group.codes(step.operands[1], lane) : nothing;
    };
    exchange(
        group, step, step.operands[0],
        [&](unsigned lane) {
            const unsigned own = lane % group.wave(), first = lane - own;
            if ((step.numbers[1] >> own / 16 % 4 & 1) == 0 || (step.numbers[2] >> own % 16 / 4 & 1) == 0)
                return no_lane;
            const std::int32_t source = dpp_source(step.numbers[0], static_cast<std::int32_t>(own));
            return source == no_lane || static_cast<unsigned>(source) >= group.wave() ||
                           !group.is_active(first + static_cast<unsigned>(source))
                       ? no_lane
                       : source;
        },
        [&](unsigned lane) -> std::span<const Code> {
            const unsigned own = lane % group.wave();
            const bool is_off =
                (step.numbers[1] >> own / 16 % 4 & 1) == 0 || (step.numbers[2] >> own % 16 / 4 & 1) == 0;
            return !is_off && step.numbers[3] != 0 ? std::span<const Code>(zeros) : kept(lane);
        });
}
void decode_dpp(Decoder&, const Instruction& at, Step& step) {
    const bool keeps = at.what.starts_with("llvm.amdgcn.update.dpp");
    const std::size_t first = keeps ? 2 : 1;
    for (std::size_t i = 0; i < 4; ++i) step.numbers.push_back(constant(at, first + i));
    for (std::size_t i = 0; i < first; ++i)
        if (at.operands[i].type != at.type) throw Error("the types of its operands do not fit");
    if (keeps) std::swap(step.operands[0], step.operands[1]);
    step.operands.resize(first);
    dpp_source(step.numbers[0], 0);
    step.run = dpp;
}

/// Through LDS' crossbar: a lane that does not run gives 0.
void backward(Workgroup& group, const Step& step) {
    const std::vector<std::uint64_t> index = group.words(step.operands[0], "the lane");
    const Code zeros[4] = {};
    exchange(
        group, step, step.operands[1],
        [&](unsigned lane) {
            const auto source = static_cast<unsigned>(index[lane] / 4 % group.wave());
            return group.is_active(lane / group.wave() * group.wave() + source) ? static_cast<std::int32_t>(source)
                                                                                : no_lane;
        },
        [&](unsigned) { return std::span<const Code>(zeros); });
}
void decode_backward(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 2);
    if (at.type->size != 4 || at.operands[0].type->size != 4 || at.operands[1].type->size != 4)
        throw Error("this intrinsic is not read");
    step.run = backward;
}

void swizzle(Workgroup& group, const Step& step) {
    const std::uint32_t pattern = step.numbers[0];
    exchange(
        group, step, step.operands[0],
        [&](unsigned lane) {
            const unsigned own = lane % group.wave();
            if ((pattern & 0x8000) != 0)
                return static_cast<std::int32_t>(own / 4 * 4 + (pattern >> (2 * (own % 4)) & 3));
            return static_cast<std::int32_t>(
                own / 32 * 32 + ((((own & 31) & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31)));
        },
        none);
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
    std::vector<Code>& room = group.room(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        const bool is_upper = lane / half % 2 != 0;
        const auto one = is_upper ? group.codes(step.operands[1], lane - half) : group.codes(step.operands[0], lane);
        const auto other = is_upper ? group.codes(step.operands[1], lane) : group.codes(step.operands[0], lane + half);
        std::copy(one.begin(), one.end(), room.begin() + std::ptrdiff_t(lane) * 8);
        std::copy(other.begin(), other.end(), room.begin() + std::ptrdiff_t(lane) * 8 + 4);
    }
    group.put(step.result);
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
    exchange(
        group, step, step.operands[1],
        [&](unsigned lane) {
            const unsigned own = lane % group.wave(), row = own / 16 ^ step.numbers[0];
            const std::uint64_t chosen = (low[lane] & 0xffffffff) | high[lane] << 32;
            return static_cast<std::int32_t>(row * 16 + (chosen >> (4 * (own % 16)) & 15));
        },
        none);
}
void decode_permute_row(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 4);
    if (at.operands[1].type != at.type) throw Error("the types of its operands do not fit");
    step.numbers = {at.what.starts_with("llvm.amdgcn.permlanex16")};
    step.run = permute_row;
}

void other_half(Workgroup& group, const Step& step) {
    if (group.wave() != 64) throw Error("a wave has 64 lanes where this is used");
    exchange(
        group, step, step.operands[0], [&](unsigned lane) { return static_cast<std::int32_t>(lane % 64 ^ 32); }, none);
}
void decode_other_half(Decoder&, const Instruction& at, Step& step) {
    require_operands(at, 1);
    step.run = other_half;
}

/// Bytes of two words by a selector of four: 0 to 3 are of the second.
void permute_bytes(Workgroup& group, const Step& step) {
    const std::vector<std::uint64_t> selector = group.words(step.operands[2], "the permutation");
    std::vector<Code>& room = group.room(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        const auto high = group.codes(step.operands[0], lane), low = group.codes(step.operands[1], lane);
        for (unsigned i = 0; i < 4; ++i) {
            const auto n = static_cast<unsigned>(selector[lane] >> (8 * i) & 255);
            if (n >= 8 && n < 12) throw Error("copies of signs are not read");
            room[std::size_t(lane) * 4 + i] = n < 4 ? low[n] : n < 8 ? high[n - 4] : n == 12 ? 0 : 255;
        }
    }
    group.put(step.result);
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
        for (std::size_t i = 0; i < std::size(places); ++i) made[i] = {places[i].name, decode_place};
        return made;
    }();
    return opcodes;
}

std::span<const Opcode> lane_intrinsics() {
    static constexpr Opcode opcodes[] = {{"amdgcn.mbcnt.lo", decode_count},
                                         {"amdgcn.mbcnt.hi", decode_count},
                                         {"amdgcn.ballot", decode_ballot},
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
                                         {"amdgcn.permlane64", decode_other_half},
                                         {"amdgcn.perm", decode_permute_bytes}};
    return opcodes;
}

} // namespace discern::programs::amd
