// wgmma: four warps; A and B in shared memory, named by descriptors; C and D in registers. And what tcgen05 shares.
#include "fragments.hpp"
#include "models/unit/sentence.hpp"
#include "ptx.hpp"

#include <charconv>

namespace discern::ptx {

namespace {

std::string hexadecimal(std::uint64_t number) {
    char digits[16];
    return "0x" + std::string(digits, std::to_chars(std::begin(digits), std::end(digits), number, 16).ptr);
}

int shared_bytes(const CudaInstruction& instruction) { return (instruction.shape.M + instruction.shape.N) * row_bytes; }

} // namespace

std::string shared_declarations(const CudaInstruction& instruction) {
    return sentence("    .shared .align 128 .b8 shared[", shared_bytes(instruction),
                    "];\n"
                    "    .reg .b32 %shared, %t<4>;\n"
                    "    .reg .b64 %descriptor_a, %descriptor_b, %from;\n"
                    "    .reg .pred %within;\n");
}

std::string copy_to_shared(const CudaInstruction& instruction) {
    const int bytes = shared_bytes(instruction), each = warpgroup_threads * 16;
    std::string text = "    mov.u32 %shared, shared;\n"
                       "    mad.lo.u32 %shared, %thread, 16, %shared;\n"
                       "    mad.wide.u32 %from, %thread, 16, %in;\n";
    for (int at = 0; at < bytes; at += each) {
        const bool all = at + each <= bytes;
        const std::string_view guard = all ? "    " : "    @%within ";
        if (!all) text += sentence("    setp.lt.u32 %within, %thread, ", (bytes - at) / 16, ";\n");
        text += sentence(guard, "ld.global.v4.b32 ", registers("t", 4), ", [%from+", at, "];\n", guard,
                         "st.shared.v4.b32 [%shared+", at, "], ", registers("t", 4), ";\n");
    }
    return text + "    fence.proxy.async.shared::cta;\n";
}

std::string descriptors(const CudaInstruction& instruction) {
    return sentence("    mov.u32 %shared, shared;\n"
                    "    cvt.u64.u32 %descriptor_a, %shared;\n"
                    "    bfe.u64 %descriptor_a, %descriptor_a, 4, 14;\n"
                    "    or.b64 %descriptor_a, %descriptor_a, ",
                    hexadecimal(shared_memory_descriptor(instruction.form)),
                    ";\n"
                    "    add.u64 %descriptor_b, %descriptor_a, ",
                    instruction.shape.M * row_bytes / 16, ";\n");
}

Body wgmma_body(const CudaInstruction& instruction) {
    const FormatId d = instruction.shape.dot.d, a = instruction.shape.dot.a;
    const std::string_view type = d == FormatId::f32 ? "f32" : "b32";
    const int count = wgmma_accumulators(instruction);
    const std::size_t c_at = image_layout(instruction).c_at;
    Body body;
    body.declarations = shared_declarations(instruction) + sentence("    .reg .", type, " %d<", count, ">;\n");
    body.before = descriptors(instruction);
    body.each = copy_to_shared(instruction) + "    mad.wide.u32 %in, %thread, 4, %in;\n"
                                              "    mad.wide.u32 %out, %thread, 4, %out;\n";
    const auto offset = [](int r) { return static_cast<std::size_t>(r * warpgroup_threads * 4); };
    for (int r = 0; r < count; ++r)
        body.each += sentence("    ld.global.", type, " %d", r, ", [%in+", c_at + offset(r), "];\n");
    // Only 16-bit operands can be transposed, and have to say that they are not.
    const std::string_view not_transposed = format(a).width == 16 ? ", 0, 0" : "";
    body.each += sentence("    bar.sync 0;\n"
                          "    wgmma.fence.sync.aligned;\n    ",
                          instruction.mnemonic, " ", registers("d", count),
                          ", %descriptor_a, %descriptor_b, %true, 1, 1", not_transposed,
                          ";\n"
                          "    wgmma.commit_group.sync.aligned;\n"
                          "    wgmma.wait_group.sync.aligned 0;\n");
    for (int r = 0; r < count; ++r)
        body.each += sentence("    st.global.", type, " [%out+", offset(r), "], %d", r, ";\n");
    body.each += "    bar.sync 0;\n";
    return body;
}

} // namespace discern::ptx
