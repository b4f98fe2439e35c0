// Instructions that only move values: select, vectors, parts of structures, addresses.
#include "elements.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::programs::amd {

namespace {

using llir::Instruction;
using TypeKind = llir::Type::Kind;

/// Of values of any type one condition, of vectors one for each element.
void select(Workgroup& group, const Step& step) {
    const llir::Type& type = *step.written->type;
    const std::uint64_t conditions = step.written->operands[0].type->elements(),
                        parts = conditions > 1 ? conditions : type.elements(), size = type.size / parts;
    each_lane(group, step, [&](unsigned lane, std::span<Code> result) {
        const auto chosen = group.codes(step.operands[0], lane);
        for (std::uint64_t i = 0; i < parts; ++i) {
            const Code condition = chosen[conditions > 1 ? i : 0];
            const auto one = group.codes(step.operands[1], lane).subspan(i * size, size),
                       other = group.codes(step.operands[2], lane).subspan(i * size, size);
            const std::span<Code> into = result.subspan(i * size, size);
            if (is_known(condition) || std::ranges::equal(one, other)) {
                std::ranges::copy(is_known(condition) && (condition & 1) != 0 ? one : other, into.begin());
                continue;
            }
            Graph& graph = group.graph();
            const NodeId arguments[3] = {graph.of_codes(std::span(&condition, 1)), graph.of_codes(one),
                                         graph.of_codes(other)};
            graph.to_codes(group.apply(step.operations[0], size, arguments), into);
        }
    });
}
void decode_select(Decoder& decoder, const Instruction& at, Step& step) {
    const std::uint64_t conditions = at.operands[0].type->elements();
    if ((conditions > 1 && conditions != at.type->elements()) || at.type->element().size > 16 ||
        at.type->is(TypeKind::structure) || at.type->is(TypeKind::array))
        throw Error("the types of its operands do not fit");
    step.operations = {decoder.operation("selp")};
    step.run = select;
}

/// Reads or replaces bytes of the first operand, from one on.
void part_in_lane(Workgroup& group, const Step& step, unsigned lane, bool replaces, std::uint64_t first,
                  std::span<Code> into) {
    const auto from = group.codes(step.operands[0], lane);
    std::ranges::copy(replaces ? from : from.subspan(first, into.size()), into.begin());
    if (replaces) std::ranges::copy(group.codes(step.operands[1], lane), into.subspan(first).begin());
}

/// Reads or replaces the element that the last operand names.
void element(Workgroup& group, const Step& step) {
    const bool inserts = step.operands.size() == 3;
    const llir::Type& vector = *step.written->operands[0].type;
    const std::uint64_t size = vector.parts[0]->size;
    const auto& index = group.words(step.operands.back(), "the index");
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        if (index[lane] >= vector.count) throw Error(sentence("there is no element ", index[lane]));
        part_in_lane(group, step, lane, inserts, index[lane] * size, into);
    });
}

void shuffle(Workgroup& group, const Step& step) {
    const std::uint64_t size = step.written->type->parts[0]->size, length = step.written->operands[0].type->count;
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        const auto one = group.codes(step.operands[0], lane), other = group.codes(step.operands[1], lane);
        for (std::size_t i = 0; i < step.numbers.size(); ++i) {
            const std::uint64_t n = step.numbers[i];
            if (n == llir::no_element) continue;
            const auto from = n < length ? one.subspan(n * size, size) : other.subspan((n - length) * size, size);
            std::ranges::copy(from, into.subspan(i * size).begin());
        }
    });
}

/// Reads or replaces bytes numbers[0] to numbers[0] + numbers[1].
void part(Workgroup& group, const Step& step) {
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        part_in_lane(group, step, lane, step.operands.size() == 2, step.numbers[0], into);
    });
}

void freeze(Workgroup& group, const Step& step) {
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        std::ranges::copy(group.codes(step.operands[0], lane), into.begin());
    });
}

/// What is added to an address for each index: times a number, or the place of a part.
void address(Workgroup& group, const Step& step) {
    std::vector<std::uint64_t> sum = group.words(step.operands[0], "the address");
    const llir::Type* type = step.written->from;
    for (std::size_t i = 1; i < step.operands.size(); ++i) {
        const auto& index = group.words(step.operands[i], "the index");
        const auto bits = static_cast<unsigned>(std::min<std::uint64_t>(step.written->operands[i].type->count, 64));
        if (i > 1 && type->is(TypeKind::structure)) {
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
            sum[lane] += static_cast<std::uint64_t>(with_sign(index[lane], bits)) * type->stored;
    }
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) { from_word(sum[lane], into); });
}
void decode_address(Decoder&, const Instruction& at, Step& step) {
    if (at.type->size > 8) throw Error("addresses within buffer descriptors are not read");
    for (std::size_t i = 1; i < at.operands.size(); ++i)
        if (!at.operands[i].type->is(TypeKind::integer)) throw Error("vectors of addresses are not read");
    step.run = address;
}

} // namespace

std::span<const Opcode> move_opcodes() {
    static constexpr Opcode opcodes[] = {{"select", decode_select},
                                         {"extractelement", decode_plain<element, 2>},
                                         {"insertelement", decode_plain<element, 3>},
                                         {"shufflevector", decode_plain<shuffle, 2>},
                                         {"extractvalue", decode_plain<part, 1>},
                                         {"insertvalue", decode_plain<part, 2>},
                                         {"freeze", decode_plain<freeze, 1>},
                                         {"getelementptr", decode_address}};
    return opcodes;
}

} // namespace discern::programs::amd
