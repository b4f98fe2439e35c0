// Conversions. Of integers they move bytes; of numbers they are the functions that PTX names cvt.
#include "elements.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::programs::amd {

namespace {

using llir::Instruction;
using TypeKind = llir::Type::Kind;

/// Bytes as they are; what is missing is 0. Of vectors whose elements have other sizes too.
void reinterpret(Workgroup& group, const Step& step) {
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        const auto given = group.codes(step.operands[0], lane);
        for (std::size_t i = 0; i < into.size(); ++i) into[i] = i < given.size() ? given[i] : 0;
    });
}

void decode_reinterpret(Decoder&, const Instruction& at, Step& step) {
    const llir::Type &from = *at.operands[0].type, &to = *at.type;
    const auto has_bits = [](const llir::Type& type) {
        return type.element().is(TypeKind::integer) && type.element().count % 8 != 0;
    };
    if (at.name == "bitcast" && (from.size != to.size || ((has_bits(from) || has_bits(to)) && &from != &to)))
        throw Error("this conversion is not read");
    step.run = reinterpret;
}

/// Addresses of LDS and of a lane's variables have windows among all addresses.
void convert_address(Workgroup& group, const Step& step) {
    const std::uint64_t from = step.numbers[0], to = step.numbers[1];
    const auto& words = group.words(step.operands[0], "the address");
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        std::uint64_t address = words[lane];
        if (to == generic_space)
            address += from == lds_space ? shared_window : from == scratch_space ? local_window : 0;
        if (from == generic_space) address -= to == lds_space ? shared_window : to == scratch_space ? local_window : 0;
        from_word(address, into);
    });
}

void decode_address_space(Decoder& decoder, const Instruction& at, Step& step) {
    const llir::Type &from = *at.operands[0].type, &to = *at.type;
    if (!from.is(TypeKind::pointer) || !to.is(TypeKind::pointer)) throw Error("this conversion is not read");
    const auto is_window = [](std::uint64_t space) { return space == lds_space || space == scratch_space; };
    if (!is_window(from.count) && !is_window(to.count)) return decode_reinterpret(decoder, at, step);
    if (from.count != generic_space && to.count != generic_space) throw Error("this conversion is not read");
    step.numbers = {static_cast<std::uint32_t>(from.count), static_cast<std::uint32_t>(to.count)};
    step.run = convert_address;
}

/// zext, sext, trunc. Operations: that of a sign, or of the lowest bits.
void resize(Workgroup& group, const Step& step) {
    const std::uint64_t from = step.written->operands[0].type->element().count,
                        to = step.written->type->element().count; // bits
    const bool has_sign = step.numbers[0] != 0;
    Graph& graph = group.graph();
    each_element(group, step, [&](const ElementOperands& operands, std::span<Code> result) {
        std::uint64_t word = 0;
        if (from <= 64 && to_word(operands[0], word)) {
            if (has_sign) word = static_cast<std::uint64_t>(with_sign(word, static_cast<unsigned>(from)));
            if (to < 64) word &= (std::uint64_t(1) << to) - 1;
            if (!has_sign || to <= 64) return from_word(word, result);
        }
        if (has_sign) {
            const NodeId arguments[3] = {
                graph.of_codes(operands[0]),
                from == 1 ? graph.constant(~std::uint64_t(0) >> (64 - 8 * result.size()), result.size()) : 0,
                from == 1 ? graph.constant(0, result.size()) : 0};
            return graph.to_codes(group.apply(step.operations[0], result.size(), {arguments, from == 1 ? 3u : 1u}),
                                  result);
        }
        for (std::size_t i = 0; i < result.size(); ++i) result[i] = i < operands[0].size() ? operands[0][i] : 0;
        if (to % 8 == 0 || to >= from || is_known(result.back())) {
            if (to % 8 != 0 && to < from) result.back() &= (1u << to % 8) - 1;
            return;
        }
        const NodeId arguments[3] = {graph.of_codes(result.last(1)), graph.constant(0, 4), graph.constant(to % 8, 4)};
        graph.to_codes(group.apply(step.operations[0], 1, arguments), result.last(1));
    });
}

void decode_resize(Decoder& decoder, const Instruction& at, Step& step) {
    const llir::Type &from = at.operands[0].type->element(), &to = at.type->element();
    if (!from.is(TypeKind::integer) || !to.is(TypeKind::integer) ||
        at.operands[0].type->elements() != at.type->elements() || (at.name == "trunc") == (to.count > from.count))
        throw Error("this conversion is not read");
    const bool has_sign = at.name == "sext";
    if (has_sign && to.count > 64) throw Error("this conversion is not read");
    step.numbers = {has_sign};
    step.operations = {decoder.operation(!has_sign         ? "bits"
                                         : from.count == 1 ? "selp"
                                                           : sentence("cvt.s", to.count, ".s", from.count))};
    step.run = resize;
}

/// A bf16 is the upper half of an f32.
void widen(Workgroup& group, const Step& step) {
    each_element(group, step, [&](const ElementOperands& operands, std::span<Code> result) {
        result[0] = result[1] = 0;
        result[2] = operands[0][0];
        result[3] = operands[0][1];
    });
}

void decode_convert(Decoder& decoder, const Instruction& at, Step& step) {
    const llir::Type &from = at.operands[0].type->element(), &to = at.type->element();
    const bool of_numbers = at.name.starts_with("fp") && at.name != "fptosi" && at.name != "fptoui";
    const auto type = [](const llir::Type& t, bool is_signed) {
        return t.is(TypeKind::floating) ? std::string(t.name) : sentence(is_signed ? "s" : "u", t.count);
    };
    const bool to_integer = !of_numbers && at.name.starts_with("fp");
    if (from.is(TypeKind::floating) != (of_numbers || to_integer) || to.is(TypeKind::floating) == to_integer ||
        at.operands[0].type->elements() != at.type->elements())
        throw Error("this conversion is not read");
    const bool is_signed = at.name.find("si") != std::string_view::npos;
    if (at.name == "fpext" && from.name == "bf16" && to.name == "f32") {
        step.run = widen;
        return;
    }
    const std::string_view flush =
        decoder.module().flushes_subnormals && (from.name == "f32" || to.name == "f32") ? "ftz." : "";
    const std::string_view rounding = to_integer ? "rzi." : at.name == "fpext" ? "" : "rn.";
    step.operations = {
        decoder.operation(sentence("cvt.", rounding, flush, type(to, is_signed), ".", type(from, is_signed)))};
    step.run = apply_each;
}

} // namespace

std::span<const Opcode> cast_opcodes() {
    static constexpr Opcode opcodes[] = {{"bitcast", decode_reinterpret},  {"ptrtoint", decode_reinterpret},
                                         {"inttoptr", decode_reinterpret}, {"addrspacecast", decode_address_space},
                                         {"zext", decode_resize},          {"sext", decode_resize},
                                         {"trunc", decode_resize},         {"fpext", decode_convert},
                                         {"fptrunc", decode_convert},      {"sitofp", decode_convert},
                                         {"uitofp", decode_convert},       {"fptosi", decode_convert},
                                         {"fptoui", decode_convert}};
    return opcodes;
}

} // namespace discern::programs::amd
