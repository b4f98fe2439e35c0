// Batches give what Evaluator gives, with kernels and without, whatever their length.
#include "models/batch.hpp"

#include "models/catalogue.hpp"
#include "models/families.hpp"

#include <gtest/gtest.h>

namespace discern {
namespace {

TEST(Batch, GivesWhatTheEvaluatorGives) {
    int with_kernels = 0, without = 0;
    std::uint64_t seed = 3;
    for (const char* name :
         {"hopper/wgmma.m64n8k16.f32.f16.f16", "ada/mma.m16n8k16.f16.e4m3.e5m2.f16",
          "cdna3/v_mfma_f32_16x16x32_fp8_fp8", "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e5m2.ue8m0",
          "x86/dpps", "ventus/tc_dot_product.f32.f32", "x86/vdpbf16ps", "x86/fma.f32",
          "hopper/wgmma.m64n8k16.f32.f16.f16{align=odd}"}) {
        const Unit unit = resolve_unit(name);
        const Evaluator evaluate(unit);
        BatchEvaluator batches(unit);
        ++(batches.has_kernels() ? with_kernels : without);
        for (const std::size_t size : {0, 1, 511, 512, 513, 1300}) {
            std::vector<InputBuffer> buffers(size);
            std::vector<Inputs> inputs;
            std::vector<InputGenerator> generators;
            for (const Family family : families) generators.emplace_back(unit, family, ++seed);
            for (std::size_t i = 0; i < size; ++i) {
                generators[i % generators.size()].next(buffers[i]);
                inputs.push_back(buffers[i].inputs());
            }
            std::vector<std::uint64_t> d(size);
            batches(inputs, d);
            for (std::size_t i = 0; i < size; ++i)
                ASSERT_EQ(d[i], evaluate(inputs[i])) << name << ", vector " << i << " of " << size << ", seed " << seed;
        }
    }
    EXPECT_GT(with_kernels, 3);
    EXPECT_GT(without, 0);
}

TEST(Batch, WrongSizesAreErrors) {
    const Unit unit = resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16");
    BatchEvaluator batches(unit);
    const std::vector<std::uint64_t> sixteen(16), fifteen(15);
    std::vector<std::uint64_t> d(1);
    std::vector<Inputs> right(1), wrong(1);
    right[0].a = right[0].b = wrong[0].a = sixteen;
    wrong[0].b = fifteen;
    EXPECT_NO_THROW(batches(right, d));
    EXPECT_THROW(batches(wrong, d), std::logic_error);
    d.clear();
    EXPECT_THROW(batches(right, d), std::logic_error);
}

} // namespace
} // namespace discern
