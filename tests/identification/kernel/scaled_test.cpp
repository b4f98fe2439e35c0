// Kernels of units with a scale a block, and of formats in which no number absorbs another.
#include "box.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace discern::kernels {
namespace {

/// Without whole products, which have no scales.
KernelResult identified(Box& box, double timeout) {
    KernelOptions options;
    options.timeout = timeout;
    options.validate_seconds = 1;
    return identify_kernel(box.shape, box.ask, options);
}

void expect_found(std::string_view text, std::string_view unit, double timeout = 6) {
    Box box(resolve_kernel(text));
    const KernelResult r = identified(box, timeout);
    ASSERT_TRUE(r.kernel) << text << ": " << r.trouble;
    const KernelEvaluator found(*r.kernel);
    InputGenerator generator(chain_of(box.evaluate.kernel()), Family::normal, 99);
    InputBuffer x;
    for (int i = 0; i < 200; ++i) {
        generator.next(x);
        ASSERT_TRUE(same_result(*r.kernel, found(x.inputs()), box.evaluate(x.inputs()))) << text << " " << i;
    }
    EXPECT_EQ(r.unit_name, unit) << text;
    EXPECT_EQ(to_string(r.kernel->schedule), to_string(box.evaluate.kernel().schedule)) << text;
}

TEST(ScaledKernels, OfMx) {
    if (tests::sweeping())
        expect_found("blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0@[K=512]",
                     "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0");
    expect_found("blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0@[K=512 split=4 reduce=order:f32:rne]",
                 "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0");
}

TEST(ScaledKernels, OfFp4) {
    if (tests::sweeping())
        expect_found(
            "blackwell/tcgen05.mma.m128n8k64.block32.f32.e2m1.e2m1.ue8m0@[K=1024 split=4 reduce=order:f32:rne]",
            "blackwell/tcgen05.mma.m128n8k64.block32.f32.e2m1.e2m1.ue8m0");
    expect_found("blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3@[K=1024]",
                 "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3");
}

/// No number of fp4 absorbs others, so schedules are tried, and the answer says so.
TEST(NarrowKernels, OfFp4WithoutScales) {
    std::size_t i = 0;
    for (const std::string_view text :
         {"blackwell/tcgen05.mma.m64n8k32.f32.e2m1.e2m1@[K=512]",
          "blackwell/tcgen05.mma.m64n8k32.f32.e2m1.e2m1@[K=512 split=4 reduce=order:f32:rne]"}) {
        if (!tests::takes_part(i++, 2)) continue;
        Box box(resolve_kernel(text));
        const KernelResult r = identified(box, 6);
        ASSERT_TRUE(r.kernel) << text << ": " << r.trouble;
        EXPECT_EQ(r.unit_name, "blackwell/tcgen05.mma.m64n8k32.f32.e2m1.e2m1");
        EXPECT_EQ(to_string(r.kernel->schedule), to_string(box.evaluate.kernel().schedule));
        EXPECT_EQ(r.conclusion, identify::Conclusion::open);
        EXPECT_NE(std::find_if(r.open.begin(), r.open.end(),
                               [](const std::string& what) { return what.find("not seen") != what.npos; }),
                  r.open.end());
    }
}

} // namespace
} // namespace discern::kernels
