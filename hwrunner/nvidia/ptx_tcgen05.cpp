// tcgen05.mma: issued by one thread; A and B in shared memory, C, D and the scales in tensor memory.
//
// Lane l and column k of tensor memory have the address l · 2^16 + k. A warp reaches the 32 lanes of its own number.
#include "fragments.hpp"
#include "models/unit/sentence.hpp"
#include "ptx.hpp"

#include <bit>

namespace discern::ptx {

namespace {

constexpr int columns_at_once = 8;

/// Columns that the kernel needs, as many as can be allocated: a power of two, 32 at least.
int allocated(const CudaInstruction& instruction) {
    const int needed = instruction.shape.N + (instruction.scaled() ? 2 * scale_columns : 0);
    return static_cast<int>(std::bit_ceil(static_cast<unsigned>(needed < 32 ? 32 : needed)));
}

/// C from the image to columns 0 … N−1.
std::string load_accumulators(const CudaInstruction& instruction, std::size_t c_at) {
    std::string text;
    for (int j = 0; j < instruction.shape.N; j += columns_at_once) {
        for (int k = 0; k < columns_at_once; ++k)
            text += sentence("    ld.global.b32 %d", k, ", [%in+",
                             c_at + static_cast<std::size_t>((j + k) * warpgroup_threads * 4), "];\n");
        text += sentence("    tcgen05.st.sync.aligned.32x32b.x8.b32 [%lanes+", j, "], ",
                         registers("d", columns_at_once), ";\n");
    }
    return text;
}

std::string store_accumulators(const CudaInstruction& instruction) {
    std::string text;
    for (int j = 0; j < instruction.shape.N; j += columns_at_once) {
        text += sentence("    tcgen05.ld.sync.aligned.32x32b.x8.b32 ", registers("d", columns_at_once), ", [%lanes+", j,
                         "];\n"
                         "    tcgen05.wait::ld.sync.aligned;\n");
        for (int k = 0; k < columns_at_once; ++k)
            text += sentence("    st.global.b32 [%out+", (j + k) * warpgroup_threads * 4, "], %d", k, ";\n");
    }
    return text;
}

/// The scales of one operand to its four columns, the same for each warp.
std::string load_scales(std::size_t at, int column) {
    std::string text;
    for (int k = 0; k < scale_columns; ++k)
        text += sentence("    ld.global.b32 %d", k, ", [%scales+", at + static_cast<std::size_t>(k * scale_lanes * 4),
                         "];\n");
    return text + sentence("    tcgen05.st.sync.aligned.32x32b.x4.b32 [%lanes+", column, "], ",
                           registers("d", scale_columns), ";\n");
}

} // namespace

Body tcgen05_body(const CudaInstruction& instruction) {
    const ImageLayout layout = image_layout(instruction);
    const int N = instruction.shape.N, columns = allocated(instruction);
    Body body;
    body.declarations = shared_declarations(instruction) +
                        "    .shared .align 8 .b64 finished;\n"
                        "    .shared .align 4 .b32 allocation;\n"
                        "    .reg .b32 %memory, %lanes, %phase, %finished, %lane, %instruction, %d<8>;\n"
                        "    .reg .b32 %scales_a, %scales_b;\n"
                        "    .reg .b64 %scales;\n"
                        "    .reg .pred %first, %first_warp, %ready;\n";
    body.before = descriptors(instruction) +
                  sentence("    setp.eq.u32 %first, %thread, 0;\n"
                           "    setp.lt.u32 %first_warp, %thread, 32;\n"
                           "    mov.u32 %memory, allocation;\n"
                           "    @%first_warp tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%memory], ",
                           columns,
                           ";\n"
                           "    @%first_warp tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
                           "    mov.u32 %finished, finished;\n"
                           "    @%first mbarrier.init.shared::cta.b64 [%finished], 1;\n"
                           "    fence.mbarrier_init.release.cluster;\n"
                           "    tcgen05.fence::before_thread_sync;\n"
                           "    bar.sync 0;\n"
                           "    tcgen05.fence::after_thread_sync;\n"
                           "    ld.shared.b32 %memory, [%memory];\n"
                           "    and.b32 %lanes, %thread, 96;\n"
                           "    shl.b32 %lanes, %lanes, 16;\n"
                           "    add.u32 %lanes, %lanes, %memory;\n"
                           "    add.u32 %scales_a, %memory, ",
                           N, ";\n    add.u32 %scales_b, %memory, ", N + scale_columns,
                           ";\n"
                           "    and.b32 %lane, %thread, 31;\n"
                           "    mov.u32 %instruction, ",
                           instruction_descriptor(instruction),
                           ";\n"
                           "    mov.u32 %phase, 0;\n");
    body.each = copy_to_shared(instruction) + "    mad.wide.u32 %scales, %lane, 4, %in;\n"
                                              "    mad.wide.u32 %in, %thread, 4, %in;\n"
                                              "    mad.wide.u32 %out, %thread, 4, %out;\n";
    body.each += load_accumulators(instruction, layout.c_at);
    if (instruction.scaled()) body.each += load_scales(layout.sa_at, N) + load_scales(layout.sb_at, N + scale_columns);
    body.each += sentence("    tcgen05.wait::st.sync.aligned;\n"
                          "    tcgen05.fence::before_thread_sync;\n"
                          "    bar.sync 0;\n"
                          "    tcgen05.fence::after_thread_sync;\n"
                          "    @%first ",
                          instruction.mnemonic, " [%memory], %descriptor_a, %descriptor_b, %instruction",
                          instruction.scaled() ? ", [%scales_a], [%scales_b]" : "",
                          ", %true;\n"
                          "    @%first tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                          "[%finished];\n"
                          "wait:\n"
                          "    mbarrier.try_wait.parity.shared::cta.b64 %ready, [%finished], %phase;\n"
                          "    @!%ready bra wait;\n"
                          "    xor.b32 %phase, %phase, 1;\n"
                          "    bar.sync 0;\n"
                          "    tcgen05.fence::after_thread_sync;\n") +
                 store_accumulators(instruction) +
                 "    tcgen05.fence::before_thread_sync;\n"
                 "    bar.sync 0;\n"
                 "    tcgen05.fence::after_thread_sync;\n";
    body.after = sentence("    bar.sync 0;\n"
                          "    @%first_warp tcgen05.dealloc.cta_group::1.sync.aligned.b32 %memory, ",
                          columns, ";\n");
    return body;
}

} // namespace discern::ptx
