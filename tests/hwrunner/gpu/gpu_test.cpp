// Products and vectors by the kernels of a GPU: their text, run by a machine of the tests, against the evaluators.
#include "fake_gpu.hpp"

#include "hwrunner/gpu/accelerator.hpp"
#include "hwrunner/gpu/kernel.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/gemm_inputs.hpp"
#include "models/kernel_gemm.hpp"
#include "models/notation.hpp"
#include "models/random_tree.hpp"
#include "sweep.hpp"

#include <string>
#include <vector>

namespace discern::testing {
namespace {

using tests::Batch;
using tests::sweep;

class Gpu : public OnAFakeGpu {
  protected:
    static std::string error_of(const std::string& unit) {
        try {
            gpu::open_gpu(resolve_unit(unit));
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }
};

GemmOptions there(const Unit& unit) {
    GemmOptions options;
    options.accelerator = gpu::open_gpu(unit);
    return options;
}

/// The first difference of `n` vectors of each family.
std::string difference(const Unit& unit, std::size_t n, std::uint64_t seed) {
    const Gemm on_gpu(unit, there(unit));
    const Evaluator model(unit);
    for (const Family family : families) {
        Batch batch(unit, family, seed, n);
        on_gpu.dots(n, batch.a, batch.b, unit.c ? batch.c : tests::Words(), batch.d.out(), batch.sa, batch.sb);
        for (std::size_t i = 0; i < n; ++i)
            if (batch.d[i] != model(batch.vector(i).inputs()))
                return to_string(unit) + ", family " + std::string(name(family)) + ", vector " + std::to_string(i);
    }
    return "";
}

/// The first 256 vectors are those that every GPU is tried with.
TEST_F(Gpu, VectorsOfEveryArithmeticOfTheCatalogue) {
    const auto n = static_cast<std::size_t>(sweep(2));
    std::size_t i = 0;
    for (const CatalogueEntry* entry : tests::arithmetics())
        if (tests::takes_part(i++, 16)) {
            EXPECT_EQ(difference(entry->unit, n, 7), "") << entry->name;
        }
}

TEST_F(Gpu, VectorsOfRandomTrees) {
    tests::UnitGenerator generator(5, true);
    for (int i = 0; i < sweep(40); ++i) EXPECT_EQ(difference(generator.next(), 4, static_cast<std::uint64_t>(i)), "");
}

struct ProductCase {
    const char* unit;
    GemmSize size;
    double alpha = 1, beta = 1;
    bool from_zero = false;
};

/// Tails of k and of scales, accumulators of another format than d, c at the end, and what follows the chains.
TEST_F(Gpu, Products) {
    constexpr const char *hopper = "hopper/wgmma.m64n8k16.f32.f16.f16",
                         *blocks = "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3";
    const ProductCase cases[] = {
        {hopper, {3, 5, 32}},
        {hopper, {3, 5, 35}},
        {hopper, {1, 1, 1}},
        {hopper, {4, 3, 20}, 0.5, 2},
        {hopper, {4, 3, 20}, -1, 0},
        {hopper, {4, 3, 20}, 1, 1, true},
        {"hopper/wgmma.m64n8k16.f32.f16.f16{c=last}", {3, 3, 40}},
        {"hopper/wgmma.m64n8k16.f16.f16.f16", {2, 7, 33}},
        {"volta/mma.m8n8k4.f32.f16.f16.f16", {3, 5, 10}},
        {blocks, {3, 4, 128}},
        {blocks, {3, 4, 90}},
        {"ampere/mma.m8n8k4.f64.f64.f64.f64", {3, 3, 9}},
        {"x86/dpps", {2, 3, 4}},
        {"x86/dpps", {2, 3, 3}, 1, 0},
    };
    for (const ProductCase& p : cases) {
        const Unit unit = resolve_unit(p.unit);
        const auto [m, n, k] = p.size;
        GemmOptions here;
        here.alpha = p.alpha;
        here.beta = p.beta;
        here.from_zero = p.from_zero;
        GemmOptions elsewhere = here;
        elsewhere.accelerator = gpu::open_gpu(unit);
        const Gemm one(unit, here), other(unit, elsewhere);
        const std::size_t scales = one.scales(k);
        const FormatId scale = unit.scale ? unit.scale->format : unit.a;
        Random random(k);
        const auto filled = [&](FormatId id, std::size_t size) {
            tests::Words words(id, size);
            for (std::size_t i = 0; i < size; ++i) words.set(i, random.bits() & format(id).mask());
            return words;
        };
        const tests::Words a = filled(unit.a, m * k), b = filled(unit.b, k * n),
                           c = filled(unit.c.value_or(unit.d), unit.c ? m * n : 0), sa = filled(scale, m * scales),
                           sb = filled(scale, scales * n);
        tests::Words d(unit.d, m * n), expected(unit.d, m * n);
        ASSERT_TRUE(one(p.size, a, b, c, expected.out(), sa, sb));
        ASSERT_TRUE(other(p.size, a, b, c, d.out(), sa, sb));
        EXPECT_EQ(d, expected) << p.unit << " " << m << " " << n << " " << k << " " << p.alpha << " " << p.beta;
    }
}

/// Wide words: sums of thousands of bits, and shifts of them by as many bits.
TEST_F(Gpu, SumsOfManyRegisters) {
    EXPECT_EQ(
        difference(parse_unit("f64*f64+f64->f64 K=2 L=2 nan=7ff8000000000000 : round[f64 rne](fuse[exact](p*, c))"), 4,
                   3),
        "");
}

TEST_F(Gpu, ProgressEndsTheWork) {
    const Unit unit = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32");
    GemmOptions options = there(unit);
    options.progress = [](double) { return false; };
    tests::Words a(unit.a, 4), b(unit.b, 4), c(*unit.c, 1), d(unit.d, 1);
    EXPECT_FALSE(Gemm(unit, options)({1, 1, 4}, a, b, c, d.out()));
}

TEST_F(Gpu, NamesItself) {
    const Unit unit = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32");
    EXPECT_EQ(Gemm(unit, there(unit)).kernels(), "GPU (Fake GPU)");
}

/// Nothing is believed of a device that computes something else.
TEST_F(Gpu, IsTriedFirst) {
    fake_->after = [](void** parameters, std::uint8_t* (*memory)(cuda::Address)) {
        gpu::Arguments arguments;
        std::memcpy(&arguments, parameters[0], sizeof arguments);
        if (arguments.count > 6) memory(arguments.d)[5 * 4] ^= 1u;
    };
    const std::string error = error_of("volta/mma.m8n8k4.f32.f16.f16.f32");
    EXPECT_EQ(error.find("unavailable: the kernels of a GPU: Fake GPU with driver "), 0u) << error;
    EXPECT_NE(error.find(" gives other bits than the unit, on vector 6 of "), std::string::npos) << error;
}

TEST_F(Gpu, SaysWhyItIsUnavailable) {
    const std::string unit = "volta/mma.m8n8k4.f32.f16.f16.f32", why = "unavailable: the kernels of a GPU: ";
    fake_->devices = 0;
    EXPECT_EQ(error_of(unit), why + "there is no NVIDIA GPU");
    *fake_ = FakeCuda{};
    fake_->major = 6;
    fake_->minor = 1;
    EXPECT_EQ(error_of(unit), why + "Fake GPU has compute capability 6.1; 7.0 or later is needed");
    *fake_ = FakeCuda{};
    fake_->link = 218;
    EXPECT_EQ(error_of(unit).find(why + "cuLinkAddData gave CUDA_ERROR_UNKNOWN"), 0u) << error_of(unit);
    *fake_ = FakeCuda{};
    fake_->memory = 100;
    EXPECT_NE(error_of(unit).find("the GPU failed: cuMemAlloc gave "), std::string::npos) << error_of(unit);
    setenv("DISCERN_CUDA_LIBRARY", "/nonexistent/libcuda.so.1", 1);
    EXPECT_EQ(error_of(unit).find(why + "the NVIDIA driver cannot be loaded: "), 0u) << error_of(unit);
}

TEST_F(Gpu, RefusesWhatItCannotCompute) {
    EXPECT_NE(error_of("hopper/wgmma.m64n8k16.f32.f16.f16{K=4096}").find("statements on a GPU, and at most"),
              std::string::npos);
    const Kernel kernel = resolve_kernel("hopper/wgmma.m64n8k16.f32.f16.f16@[split=2]", 64);
    EXPECT_THROW(KernelGemm(kernel, there(kernel.unit)), Error);
}

} // namespace
} // namespace discern::testing
