#include "ptx.hpp"

#include "fragments.hpp"
#include "models/unit/sentence.hpp"

#include <array>

namespace discern {

namespace ptx {

std::string registers(std::string_view prefix, int count, int first) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += sentence(i == 0 ? "" : ", ", "%", prefix, first + i);
    return text + "}";
}

} // namespace ptx

int threads_per_block(const CudaInstruction& instruction) {
    return instruction.form == CudaForm::registers ? 32 : warpgroup_threads;
}

std::string ptx_body(const CudaInstruction& instruction, std::string_view arguments) {
    using Maker = ptx::Body (*)(const CudaInstruction&);
    constexpr std::array<Maker, 3> makers = {ptx::mma_body, ptx::wgmma_body, ptx::tcgen05_body};
    const ptx::Body body = makers[static_cast<std::size_t>(instruction.form)](instruction);
    const ImageLayout layout = image_layout(instruction);
    return sentence("    .reg .b64 %in, %out, %all_in, %all_out;\n"
                    "    .reg .b32 %thread, %image, %blocks, %count;\n"
                    "    .reg .pred %done, %true;\n",
                    body.declarations, arguments,
                    "    cvta.to.global.u64 %all_in, %all_in;\n"
                    "    cvta.to.global.u64 %all_out, %all_out;\n"
                    "    mov.u32 %thread, %tid.x;\n"
                    "    mov.u32 %image, %ctaid.x;\n"
                    "    mov.u32 %blocks, %nctaid.x;\n"
                    "    setp.eq.u32 %true, %thread, %thread;\n",
                    body.before,
                    "    .pragma \"nounroll\";\n"
                    "next:\n"
                    "    setp.ge.u32 %done, %image, %count;\n"
                    "    @%done bra end;\n"
                    "    mad.wide.u32 %in, %image, ",
                    layout.in_bytes,
                    ", %all_in;\n"
                    "    mad.wide.u32 %out, %image, ",
                    layout.out_bytes, ", %all_out;\n", body.each,
                    "    add.u32 %image, %image, %blocks;\n"
                    "    bra next;\n"
                    "end:\n",
                    body.after);
}

std::string ptx_module(const CudaInstruction& instruction) {
    return sentence("// ", instruction.unit, "\n.version ", instruction.isa_major, ".", instruction.isa_minor,
                    "\n.target ", instruction.target(), "\n.address_size 64\n.visible .entry ", kernel_name,
                    "(.param .u64 in, .param .u64 out, .param .u32 count)\n.maxntid ", threads_per_block(instruction),
                    "\n{\n",
                    ptx_body(instruction, "    ld.param.u64 %all_in, [in];\n"
                                          "    ld.param.u64 %all_out, [out];\n"
                                          "    ld.param.u32 %count, [count];\n"),
                    "    ret;\n}\n");
}

} // namespace discern
