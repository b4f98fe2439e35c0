// Instructions that only move values: select, vectors, parts of structures, addresses.
#include "elements.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::programs::amd {

namespace {

using llir::Instruction;
using Kind = llir::Type::Kind;

/// Of values of any type one condition, of vectors one for each element.
void select(Workgroup& group, const Step& step) {
    const llir::Type& type = *step.written->type;
    const std::uint64_t conditions = step.written->operands[0].type->elements(),
                        parts = conditions > 1 ? conditions : type.elements(), size = type.size / parts;
    std::vector<Code>& room = group.room(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        const auto chosen = group.codes(step.operands[0], lane), one = group.codes(step.operands[1], lane),
                   other = group.codes(step.operands[2], lane);
        for (std::uint64_t i = 0; i < parts; ++i) {
            const Code condition = chosen[conditions > 1 ? i : 0];
            const auto from = is_known(condition) && (condition & 1) != 0 ? one : other;
            const std::span<Code> into = std::span(room).subspan(lane * type.size + i * size, size);
            if (is_known(condition) || std::equal(one.begin() + static_cast<std::ptrdiff_t>(i * size),
                                                  one.begin() + static_cast<std::ptrdiff_t>((i + 1) * size),
                                                  other.begin() + static_cast<std::ptrdiff_t>(i * size))) {
                std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(i * size), size, into.begin());
                continue;
            }
            Graph& graph = group.graph();
            const NodeId arguments[3] = {graph.of_codes(std::span(&condition, 1)),
                                         graph.of_codes(one.subspan(i * size, size)),
                                         graph.of_codes(other.subspan(i * size, size))};
            graph.to_codes(group.apply(step.operations[0], static_cast<unsigned>(size), arguments), into);
        }
    }
    group.put(step.result);
}
void decode_select(Decoder& decoder, const Instruction& at, Step& step) {
    const std::uint64_t conditions = at.operands[0].type->elements();
    if ((conditions > 1 && conditions != at.type->elements()) || at.type->element().size > 16 ||
        at.type->is(Kind::structure) || at.type->is(Kind::array))
        throw Error("the types of its operands do not fit");
    step.operations = {decoder.operation("selp")};
    step.run = select;
}

/// Reads or replaces the element that the last operand names.
void element(Workgroup& group, const Step& step) {
    const bool inserts = step.operands.size() == 3;
    const llir::Type& vector = *step.written->operands[0].type;
    const std::uint64_t size = vector.parts[0]->size;
    const auto& index = group.words(step.operands.back(), "the index");
    std::vector<Code>& room = group.room(step.result);
    const std::uint64_t all = group.bytes(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        if (index[lane] >= vector.count) throw Error(sentence("there is no element ", index[lane]));
        const auto from = group.codes(step.operands[0], lane);
        const auto into = room.begin() + static_cast<std::ptrdiff_t>(lane * all);
        const auto at = static_cast<std::ptrdiff_t>(index[lane] * size);
        if (inserts) {
            std::copy(from.begin(), from.end(), into);
            const auto given = group.codes(step.operands[1], lane);
            std::copy(given.begin(), given.end(), into + at);
        } else {
            std::copy_n(from.begin() + at, size, into);
        }
    }
    group.put(step.result);
}
void decode_element(Decoder&, const Instruction&, Step& step) { step.run = element; }

void shuffle(Workgroup& group, const Step& step) {
    const std::uint64_t size = step.written->type->parts[0]->size, length = step.written->operands[0].type->count,
                        all = group.bytes(step.result);
    std::vector<Code>& room = group.room(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        const auto one = group.codes(step.operands[0], lane), other = group.codes(step.operands[1], lane);
        for (std::size_t i = 0; i < step.numbers.size(); ++i) {
            const std::uint64_t n = step.numbers[i];
            if (n == llir::no_element) continue;
            const auto from = n < length ? one.subspan(n * size, size) : other.subspan((n - length) * size, size);
            std::copy(from.begin(), from.end(), room.begin() + static_cast<std::ptrdiff_t>(lane * all + i * size));
        }
    }
    group.put(step.result);
}
void decode_shuffle(Decoder&, const Instruction& at, Step& step) {
    step.numbers = at.numbers;
    step.run = shuffle;
}

/// Reads or replaces bytes numbers[0] to numbers[0] + numbers[1].
void part(Workgroup& group, const Step& step) {
    std::vector<Code>& room = group.room(step.result);
    const std::uint64_t all = group.bytes(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        const auto from = group.codes(step.operands[0], lane);
        const auto into = room.begin() + static_cast<std::ptrdiff_t>(lane * all);
        if (step.operands.size() == 2) {
            std::copy(from.begin(), from.end(), into);
            const auto given = group.codes(step.operands[1], lane);
            std::copy(given.begin(), given.end(), into + step.numbers[0]);
        } else {
            std::copy_n(from.begin() + step.numbers[0], step.numbers[1], into);
        }
    }
    group.put(step.result);
}
void decode_part(Decoder&, const Instruction& at, Step& step) {
    step.numbers = at.numbers;
    step.run = part;
}

void freeze(Workgroup& group, const Step& step) {
    std::vector<Code>& room = group.room(step.result);
    const std::uint64_t size = group.bytes(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        const auto from = group.codes(step.operands[0], lane);
        std::copy(from.begin(), from.end(), room.begin() + static_cast<std::ptrdiff_t>(lane * size));
    }
    group.put(step.result);
}
void decode_freeze(Decoder&, const Instruction&, Step& step) { step.run = freeze; }

/// What is added to an address for each index: times a number, or the place of a part.
void address(Workgroup& group, const Step& step) {
    std::vector<std::uint64_t> sum = group.words(step.operands[0], "the address");
    const llir::Type* type = step.written->from;
    for (std::size_t i = 1; i < step.operands.size(); ++i) {
        const auto& index = group.words(step.operands[i], "the index");
        const auto bits = static_cast<unsigned>(std::min<std::uint64_t>(step.written->operands[i].type->count, 64));
        if (i > 1 && type->is(Kind::structure)) {
            const std::uint64_t n = group.word(step.operands[i], "the index");
            if (n >= type->parts.size()) throw Error(sentence("a structure has no part ", n));
            for (std::uint64_t& one : sum) one += type->at[n];
            type = type->parts[n];
            continue;
        }
        if (i > 1) {
            if (type->parts.empty()) throw Error("what is indexed has no parts");
            type = type->parts[0];
        }
        for (unsigned lane = 0; lane < group.lanes(); ++lane)
            sum[lane] +=
                static_cast<std::uint64_t>(static_cast<std::int64_t>(index[lane] << (64 - bits)) >> (64 - bits)) *
                type->stored;
    }
    std::vector<Code>& room = group.room(step.result);
    const std::uint64_t size = group.bytes(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane)
        if (group.is_active(lane)) from_word(sum[lane], std::span(room).subspan(lane * size, size));
    group.put(step.result);
}
void decode_address(Decoder&, const Instruction& at, Step& step) {
    if (at.type->size > 8) throw Error("addresses within buffer descriptors are not read");
    for (std::size_t i = 1; i < at.operands.size(); ++i)
        if (!at.operands[i].type->is(Kind::integer)) throw Error("vectors of addresses are not read");
    step.run = address;
}

} // namespace

std::span<const Opcode> move_opcodes() {
    static constexpr Opcode opcodes[] = {{"select", decode_select},         {"extractelement", decode_element},
                                         {"insertelement", decode_element}, {"shufflevector", decode_shuffle},
                                         {"extractvalue", decode_part},     {"insertvalue", decode_part},
                                         {"freeze", decode_freeze},         {"getelementptr", decode_address}};
    return opcodes;
}

} // namespace discern::programs::amd
