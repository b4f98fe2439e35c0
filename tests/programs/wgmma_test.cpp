// wgmma with A in registers: the fragment of the ISA's figure, of f16, bf16, tf32 and fp8.
#include "kernel_files.hpp"

#include <gtest/gtest.h>

using namespace discern;
using namespace discern::programs;

namespace {

struct RegistersCase {
    const char *type, *shape, *end; ///< what is behind the flags that all have
    unsigned bytes;
};

/// 64 × 32 bytes of A in registers, 8 rows of 32 bytes of B in two core matrices.
std::string text_of(const RegistersCase& one) {
    return R"(.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d)
.reqntid 128
{
.shared .align 128 .b8 memory[256];
.reg .pred %p;
.reg .b32 %r<20>, %a<4>;
.reg .f32 %c<4>;
.reg .b64 %q<9>;
ld.param.u64 %q1, [a];
ld.param.u64 %q2, [b];
ld.param.u64 %q3, [d];
mov.u32 %r1, %tid.x;
shr.u32 %r2, %r1, 5;
and.b32 %r3, %r1, 31;
shr.u32 %r4, %r3, 2;
and.b32 %r5, %r3, 3;
mad.lo.u32 %r6, %r2, 16, %r4;
mul.wide.u32 %q4, %r6, 32;
add.u64 %q1, %q1, %q4;
mul.wide.u32 %q4, %r5, 4;
add.u64 %q1, %q1, %q4;
ld.global.b32 %a0, [%q1];
ld.global.b32 %a1, [%q1+256];
ld.global.b32 %a2, [%q1+16];
ld.global.b32 %a3, [%q1+272];
mul.wide.u32 %q4, %r1, 2;
add.u64 %q2, %q2, %q4;
.reg .b16 %h;
ld.global.b16 %h, [%q2];
shr.u32 %r7, %r1, 4;
and.b32 %r8, %r1, 15;
shr.u32 %r9, %r8, 3;
and.b32 %r8, %r8, 7;
mov.u32 %r10, memory;
mad.lo.u32 %r11, %r9, 128, %r10;
mad.lo.u32 %r11, %r7, 16, %r11;
mad.lo.u32 %r11, %r8, 2, %r11;
st.shared.b16 [%r11], %h;
fence.proxy.async;
bar.sync 0;
cvt.u64.u32 %q5, %r10;
shr.u64 %q5, %q5, 4;
or.b64 %q5, %q5, 0x1000080000;
setp.ne.b32 %p, 0, 0;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.)" +
           std::string(one.shape) + ".f32." + one.type + "." + one.type +
           " {%c0,%c1,%c2,%c3}, {%a0,%a1,%a2,%a3}, %q5, %p, 1, 1" + one.end + R"(;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
mul.wide.u32 %q4, %r6, 32;
add.u64 %q3, %q3, %q4;
mul.wide.u32 %q4, %r5, 8;
add.u64 %q3, %q3, %q4;
st.global.v2.f32 [%q3], {%c0, %c1};
st.global.v2.f32 [%q3+256], {%c2, %c3};
ret;
}
)";
}

} // namespace

TEST(Wgmma, OfRegistersIsItsUnitForEveryElement) {
    for (const RegistersCase& one : {RegistersCase{"f16", "m64n8k16", ", 0", 2},
                                     {"bf16", "m64n8k16", ", 0", 2},
                                     {"e4m3", "m64n8k32", "", 1},
                                     {"tf32", "m64n8k8", "", 4}}) {
        const std::string k = std::to_string(32 / one.bytes), format = one.type,
                          launch = R"({"launch":1,"arguments":[{"matrix":"A","axes":"mk","format":")" + format +
                                   R"(","shape":[64,)" + k + R"(]},{"matrix":"B","axes":"nk","format":")" + format +
                                   R"(","shape":[8,)" + k +
                                   R"(]},{"result":"D","axes":"mn","format":"f32","shape":[64,8]}]})";
        Terms terms;
        const KernelReading reading = read_kernel(text_of(one), "k.ptx", parse_launch(launch, "l.json"), terms);
        ASSERT_TRUE(reading.results[0].schedule) << one.type;
        EXPECT_EQ(reading.results[0].schedule->text,
                  std::string("hopper/wgmma.") + one.shape + ".f32." + format + "." + format + "@[K=" + k + "]");
        EXPECT_EQ(reading.kernel.unwaited, "");
    }
}
