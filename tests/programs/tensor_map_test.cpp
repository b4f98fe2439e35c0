// Boxes of a tensor come to shared memory where the swizzle puts them, and what is outside of the tensor as zero.
#include "kernel_files.hpp"

#include "models/error.hpp"

#include <gtest/gtest.h>

using namespace discern;
using namespace discern::programs;

namespace {

/// 8 rows of 128 bytes from row `first` on; lane l loads the first word of piece l / 8 of row l mod 8, which lies at
/// piece (l / 8) xor (l mod 8).
RunKernel run_copy(int first, const std::string& bytes = "1024") {
    const std::string ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 d)
.reqntid 32
{
.reg .pred %p<9>;
.reg .b32 %r<30>;
.reg .b64 %q<9>;
.shared .align 1024 .b8 box[1024];
.shared .align 8 .b8 bar[8];
mov.b32 %r29, map;
cvt.u64.u32 %q1, %r29;
cvta.param.u64 %q1, %q1;
ld.param.u64 %q2, [d];
mov.u32 %r1, %tid.x;
mov.u32 %r2, box;
mov.u32 %r3, bar;
setp.eq.s32 %p1, %r1, 0;
@%p1 mbarrier.init.shared.b64 [%r3], 1;
bar.sync 0;
mov.b32 %r4, 0;
mov.b32 %r5, )" + std::to_string(first) +
                            R"(;
@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], )" +
                            bytes +
                            R"(;
@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%q1, {%r4, %r5}], [%r3];
$W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;
@!%p2 bra $W;
and.b32 %r6, %r1, 7;
shr.u32 %r7, %r1, 3;
xor.b32 %r8, %r6, %r7;
shl.b32 %r8, %r8, 4;
shl.b32 %r9, %r6, 7;
add.s32 %r10, %r8, %r9;
add.s32 %r10, %r10, %r2;
ld.shared.b32 %r11, [%r10];
mul.wide.u32 %q3, %r1, 4;
add.s64 %q2, %q2, %q3;
st.global.b32 [%q2], %r11;
ret;
}
)";
    return run_kernel(ptx, "k.ptx",
                      parse_launch(R"({"launch":1,"buffers":[{"matrix":"A","format":"f16","shape":[32,64],"axes":"mk"}],
      "arguments":[{"tensor_map":"A","box":[8,64],"swizzle":128},{"result":"D","format":"u32","shape":[32],"axes":"i"}]})",
                                   "l.json"));
}

} // namespace

TEST(TensorMaps, BoxesAreSwizzled) {
    const RunKernel kernel = run_copy(16);
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        Code codes[4];
        kernel.graph.to_codes(kernel.results[0].elements[lane], codes);
        for (std::uint32_t e = 0; e < 2; ++e) {
            const NodeId leaf = node_of(codes[2 * e]);
            ASSERT_EQ(kernel.graph.kind(leaf), Kind::leaf);
            EXPECT_EQ(kernel.graph.arguments(leaf)[1], (16 + lane % 8) * 64 + lane / 8 * 8 + e);
        }
    }
}

TEST(TensorMaps, OutsideIsZero) {
    const RunKernel kernel = run_copy(28);
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        EXPECT_EQ(kernel.graph.kind(kernel.results[0].elements[lane]) == Kind::constant, lane % 8 >= 4);
}

TEST(TensorMaps, AWaitForMoreBytesNeverEnds) {
    try {
        run_copy(0, "2048");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("no thread can go on: 32 wait"), std::string::npos) << error.what();
    }
}

/// A box of A is copied to where D has it, the last rows of which are outside of it.
TEST(TensorMaps, BoxesAreStored) {
    const std::string ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128])
.reqntid 32
{
.reg .pred %p<9>;
.reg .b32 %r<9>;
.reg .b64 %q<9>;
.shared .align 1024 .b8 box[1024];
.shared .align 8 .b8 bar[8];
mov.b64 %q1, from;
cvta.param.u64 %q1, %q1;
mov.b64 %q2, to;
cvta.param.u64 %q2, %q2;
mov.u32 %r1, %tid.x;
mov.u32 %r2, box;
mov.u32 %r3, bar;
setp.eq.s32 %p1, %r1, 0;
@%p1 mbarrier.init.shared.b64 [%r3], 1;
bar.sync 0;
@%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], 1024;
@%p1 mbarrier.arrive.shared.b64 _, [%r3];
@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%q1, {0, 16}], [%r3];
$W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;
@!%p2 bra $W;
@%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%q2, {0, 0}], [%r2];
@%p1 cp.async.bulk.commit_group;
@%p1 cp.async.bulk.wait_group.read 0;
ret;
}
)";
    const std::string launch = R"({"launch":1,"buffers":[{"matrix":"A","format":"f16","shape":[32,64],"axes":"mk"},
      {"result":"D","format":"f16","shape":[6,64],"axes":"mn"}],
      "arguments":[{"tensor_map":"A","box":[8,64],"swizzle":128},{"tensor_map":"D","box":[8,64],"swizzle":128}]})";
    const RunKernel kernel = run_kernel(ptx, "k.ptx", parse_launch(launch, "l.json"));
    for (std::uint32_t i = 0; i < 6 * 64; ++i) {
        const NodeId leaf = kernel.results[0].elements[i];
        ASSERT_EQ(kernel.graph.kind(leaf), Kind::leaf);
        EXPECT_EQ(kernel.graph.arguments(leaf)[1], 16 * 64 + i);
    }
}
