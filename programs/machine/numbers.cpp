// Instructions on floating-point numbers: a node each, by the instruction's name. Of packed types one for each half.
#include "block.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "opcodes.hpp"

#include <string>

namespace discern::programs {

namespace {

/// mode[0]: bytes of a part of the result; mode[1]: parts; mode[2]: bytes of a part of operands; mode[3]: 1 if the
/// parts come from operands of their own, as in cvt.f16x2.f32 d, high, low.
void run_number(Block& block, const Step& step) {
    const unsigned size = step.mode[0], parts = step.mode[1], from = step.mode[2];
    const bool packs = step.mode[3] != 0;
    const std::size_t count = step.operands.size() - 1;
    Code room[16];
    NodeId arguments[4];
    block.make_each(step.operands[0].reg(), size * parts, [&](unsigned lane, std::span<Code> into) {
        for (unsigned part = 0; part < parts; ++part) {
            const std::size_t used = packs ? 1 : count;
            for (std::size_t i = 0; i < used; ++i) {
                const Place& operand = step.operands[packs ? count - part : i + 1];
                const std::span<Code> all(room, packs ? from : from * parts);
                block.codes(operand.reg(), lane, all);
                arguments[i] = block.graph().of_codes(packs ? all : all.subspan(part * from, from));
            }
            const NodeId node = block.apply(step.operations[0], size, {arguments, used});
            block.graph().to_codes(node, into.subspan(std::size_t(part) * size, size));
        }
    });
}

unsigned take_halves(std::string_view& type) {
    if (!type.ends_with("x2")) return 1;
    type.remove_suffix(2);
    return 2;
}

/// The opcode without what does not matter to its value, with other types at its end.
std::string name_of(const Instruction& at, std::size_t types, std::initializer_list<std::string_view> instead) {
    std::string name;
    for (std::size_t i = 0; i + types < at.parts.size(); ++i) name += (i == 0 ? "" : ".") + std::string(at.parts[i]);
    for (const std::string_view type : instead) name += "." + std::string(type);
    return name;
}

void require_count(const Step& step, std::size_t least, std::size_t most) {
    require_operands(step, least);
    if (step.operands.size() > most)
        throw Error(sentence("it has ", step.operands.size(), " operands; ", least, " are right"));
    require_plain_operands(step);
}

void decode_conversion(Decoder& decoder, const Instruction& at, Step& step) {
    const Type to = decoder.type(at, 1), from = decoder.type(at, 0);
    std::string_view to_name = to.name, from_name = from.name;
    const unsigned parts = take_halves(to_name), given = take_halves(from_name);
    step.mode[3] = parts > given;
    step.mode[1] = parts;
    step.mode[0] = to.bytes / parts;
    step.mode[2] = from.bytes / given;
    require_count(step, 2 + step.mode[3], 2 + step.mode[3]);
    if (given > parts || to.bytes == 0 || from.bytes == 0) throw Error("this conversion is not read");
    step.operations = {decoder.graph().operation(name_of(at, 2, {to_name, from_name}))};
    step.run = run_number;
}

} // namespace

void decode_number(Decoder& decoder, const Instruction& at, Step& step) {
    if (at.parts[0] == "cvt") return decode_conversion(decoder, at, step);
    require_count(step, 2, 4);
    const Type type = decoder.type(at, 0);
    if (type.bytes == 0 || type.bytes > 8) throw Error("this instruction is not read");
    std::string_view name = type.name;
    step.mode[1] = take_halves(name);
    step.mode[0] = step.mode[2] = type.bytes / step.mode[1];
    step.operations = {decoder.graph().operation(name_of(at, 1, {name}))};
    step.run = run_number;
}

std::span<const Opcode> number_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"fma", decode_number, "*"},      {"ex2", decode_number, "*"},  {"lg2", decode_number, "*"},
        {"rcp", decode_number, "*"},      {"sqrt", decode_number, "*"}, {"rsqrt", decode_number, "*"},
        {"sin", decode_number, "*"},      {"cos", decode_number, "*"},  {"tanh", decode_number, "*"},
        {"copysign", decode_number, "*"},
    };
    return opcodes;
}

} // namespace discern::programs
