// mma.sync: one warp, every operand in its registers.
#include "fragments.hpp"
#include "models/unit/sentence.hpp"
#include "ptx.hpp"

namespace discern::ptx {

namespace {

/// Loads or stores registers prefix0 …, which lie 32 to a row in the image.
std::string transfer(bool load, std::string_view type, std::string_view prefix, int count, std::size_t at,
                     int register_bits) {
    std::string text;
    for (int r = 0; r < count; ++r) {
        const std::size_t offset = at + static_cast<std::size_t>(r * 32 * register_bits / 8);
        text += load ? sentence("    ld.global.", type, " %", prefix, r, ", [%in+", offset, "];\n")
                     : sentence("    st.global.", type, " [%out+", offset, "], %", prefix, r, ";\n");
    }
    return text;
}

/// Registers of C and D have the type of the format, or hold two f16.
std::string_view accumulator_type(FormatId id) {
    return id == FormatId::f64 ? "f64" : id == FormatId::f32 ? "f32" : "b32";
}

} // namespace

Body mma_body(const CudaInstruction& instruction) {
    const Shape& dot = instruction.shape.dot;
    const FragmentSizes sizes = fragment_sizes(instruction);
    const ImageLayout layout = image_layout(instruction);
    const std::string_view operand = sizes.register_bits == 64 ? "f64" : "b32";
    const std::string_view c = accumulator_type(dot.c.value()), d = accumulator_type(dot.d);
    const int bits = sizes.register_bits;
    Body body;
    body.declarations = sentence("    .reg .", operand, " %a<", sizes.a, ">, %b<", sizes.b, ">;\n    .reg .", c, " %c<",
                                 sizes.c, ">;\n    .reg .", d, " %d<", sizes.d, ">;\n");
    if (instruction.scaled()) body.declarations += "    .reg .b32 %sa0, %sb0;\n    .reg .b16 %select;\n";
    body.each = sentence("    mad.wide.u32 %in, %thread, ", bits / 8, ", %in;\n    mad.wide.u32 %out, %thread, ",
                         bits / 8, ", %out;\n") +
                transfer(true, operand, "a", sizes.a, layout.a_at, bits) +
                transfer(true, operand, "b", sizes.b, layout.b_at, bits) +
                transfer(true, c, "c", sizes.c, layout.c_at, bits);
    if (instruction.scaled())
        body.each += transfer(true, "b32", "sa", 1, layout.sa_at, bits) +
                     transfer(true, "b32", "sb", 1, layout.sb_at, bits) + "    mov.b16 %select, 0;\n";
    // f64 with one register could do without braces; all operands have them, for uniformity.
    body.each += sentence("    ", instruction.mnemonic, " ", registers("d", sizes.d), ", ", registers("a", sizes.a),
                          ", ", registers("b", sizes.b), ", ", registers("c", sizes.c));
    if (instruction.scaled()) body.each += ", {%sa0}, {%select, %select}, {%sb0}, {%select, %select}";
    body.each += ";\n" + transfer(false, d, "d", sizes.d, 0, bits);
    return body;
}

} // namespace discern::ptx
