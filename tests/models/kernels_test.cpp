// Every set of kernels that this CPU can run against the general evaluator, by batches of independent vectors: all
// arithmetics of the catalogue and variants of them, as independent vectors and as products.
//
// DISCERN_SWEEP=n compares n vectors per family and unit instead of the quick default.
#include "gemm_inputs.hpp"

#include "models/error.hpp"
#include "models/overrides.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace discern::tests::kernels_test {
namespace {

/// The first vector on which the kernels differ from Evaluator.
std::optional<std::string> dots_differ(const Unit& unit, const Gemm& gemm, const Evaluator& evaluate, Family family,
                                       std::uint64_t seed, std::size_t count) {
    Batch batch(unit, family, seed, count);
    gemm.dots(count, batch.a, batch.b, batch.c, batch.d.out(), batch.sa, batch.sb);
    for (std::size_t i = 0; i < count; ++i) {
        const InputBuffer one = batch.vector(i);
        const std::uint64_t expected = evaluate(one.inputs());
        if (expected != batch.d[i])
            return std::string(name(family)) + ", seed " + std::to_string(seed) + ", vector " + std::to_string(i) +
                   ": " + describe(unit, one, expected, batch.d[i]);
    }
    return std::nullopt;
}

TEST(Kernels, DotsOfEveryArithmetic) {
    const auto count = static_cast<std::size_t>(std::max(sweep(128), 70)); // a kernel takes 64 at once
    for (const CatalogueEntry* entry : arithmetics()) {
        const Evaluator evaluate(entry->unit);
        for (const KernelChoice set : sets) {
            const Gemm gemm(entry->unit, with(set));
            if (gemm.kernels() == "general") continue;
            for (const Family family : families) {
                const auto difference = dots_differ(entry->unit, gemm, evaluate, family, 1, count);
                EXPECT_FALSE(difference) << entry->name << " with " << gemm.kernels() << ", " << *difference;
                if (difference) break;
            }
        }
    }
}

/// A variant of a unit: one or two parameters of its tree changed by a little, or its length.
std::string random_variant(const Unit& unit, Random& random) {
    std::string settings;
    const auto add = [&](const std::string& setting) { settings += (settings.empty() ? "" : ",") + setting; };
    const auto near = [&](int value, int by) { return std::to_string(value + random.between(-by, by)); };
    for (const auto& [key, value] : parameters(unit)) {
        const bool number = value.find_first_not_of("-0123456789") == std::string::npos;
        if (!random.one_in(3)) continue;
        if (key == "F" || key == "F2" || key == "floor")
            add(std::string(key) + "=" + (number ? near(std::stoi(value), 3) : std::to_string(random.between(8, 30))));
        else if (key == "drop" || key == "limit")
            add(std::string(key) + "=" + (number ? near(std::stoi(value), 2) : "126"));
        else if (key == "c")
            add(random.one_in(2) ? "c=late" : random.one_in(2) ? "c=last" : "c=early");
        else if (key == "round")
            add(random.one_in(2) ? "round=rne" : "round=rz");
        else if (key == "L")
            add("L=" + std::to_string(1 << random.between(0, 5)));
        else if (key == "sticky" || key == "plus")
            add(std::string(key) + "=yes");
        else if (key == "frame")
            add(random.one_in(2) ? "frame=c" : "frame=nonzero_c");
        else if (key == "step")
            add("step=4");
        else if (key == "less")
            add("less=" + std::to_string(random.between(0, 4)));
    }
    return settings;
}

TEST(Kernels, DotsOfVariants) {
    // DISCERN_SWEEP: so many variants of each arithmetic.
    constexpr std::size_t count = 64;
    const auto variants = static_cast<std::uint64_t>(sweep(1));
    Random random(11);
    std::size_t compared = 0;
    for (std::uint64_t variant = 0; variant < variants; ++variant)
        for (const CatalogueEntry* entry : arithmetics()) {
            const std::string settings = "{" + random_variant(entry->unit, random) + "}";
            Unit unit = entry->unit;
            try {
                unit = with_overrides(unit, settings);
            } catch (const Error&) {
                continue; // not every combination is a unit
            }
            const Evaluator evaluate(unit);
            for (const KernelChoice set : sets) {
                const Gemm gemm(unit, with(set));
                if (gemm.kernels() == "general") continue;
                compared += set == KernelChoice::portable ? 1 : 0; // which there is on every CPU
                for (const Family family : families) {
                    const auto difference = dots_differ(unit, gemm, evaluate, family, 2 + variant, count);
                    EXPECT_FALSE(difference)
                        << entry->name << settings << " with " << gemm.kernels() << ", " << *difference;
                    if (difference) break;
                }
            }
        }
    EXPECT_GT(compared, 80 * variants);
}

/// Of each set of kernels that this CPU has.
std::vector<Gemm> with_each_set(const Unit& unit) {
    std::vector<Gemm> gemms;
    for (const KernelChoice set : sets) {
        Gemm gemm(unit, with(set));
        if (gemm.kernels() != "general") gemms.push_back(std::move(gemm));
    }
    return gemms;
}

/// One unit of each kind of kernel, in large numbers; every thousandth vector against the oracle too.
class KernelsOfUnits : public testing::TestWithParam<const char*> {};

TEST_P(KernelsOfUnits, Dots) {
    constexpr std::size_t batch = 1 << 14;
    const auto count = static_cast<std::size_t>(sweep(1000));
    const Unit unit = resolve_unit(GetParam());
    const Evaluator evaluate(unit);
    const std::vector<Gemm> gemms = with_each_set(unit);
    ASSERT_FALSE(gemms.empty());
    for (const Family family : families)
        for (std::size_t done = 0, seed = 1; done < count; done += batch, ++seed) {
            std::vector<std::uint64_t> expected;
            Batch b(unit, family, seed, std::min(batch, count - done), [&](std::size_t i, const InputBuffer& one) {
                expected.push_back(evaluate(one.inputs()));
                if (i % 1000 == 0) {
                    EXPECT_EQ(evaluate_exactly(unit, one.inputs()), expected.back());
                }
            });
            for (const Gemm& gemm : gemms) {
                gemm.dots(b.count, b.a, b.b, b.c, b.d.out(), b.sa, b.sb);
                for (std::size_t i = 0; i < b.count; ++i)
                    ASSERT_EQ(b.d[i], expected[i]) << gemm.kernels() << ", " << discern::name(family) << ", seed "
                                                   << seed << ": " << describe(unit, b.vector(i), expected[i], b.d[i]);
            }
        }
}

// Rows against columns, as in matrix products: their kernels are others than those of independent vectors.
TEST_P(KernelsOfUnits, Products) {
    constexpr std::size_t columns = 128;
    const auto count = static_cast<std::size_t>(sweep(1000));
    const Unit unit = resolve_unit(GetParam());
    const Evaluator evaluate(unit);
    const auto K = static_cast<std::size_t>(unit.K), scales = static_cast<std::size_t>(unit.scales());
    const FormatId scale = unit.scale ? unit.scale->format : unit.a;
    const std::vector<Gemm> gemms = with_each_set(unit);
    ASSERT_FALSE(gemms.empty());
    for (const Family family : families)
        for (std::size_t done = 0, seed = 1; done < count; ++seed) {
            const std::size_t rows = std::min<std::size_t>(128, (count - done + columns - 1) / columns);
            done += rows * columns;
            // B's columns are those of other vectors than A's rows, but for every eighth; C is theirs, again and again.
            const Batch left(unit, family, 2 * seed, 2 * columns), right(unit, family, 2 * seed + 1, columns);
            Words c(*unit.c, rows * columns);
            for (std::size_t i = 0; i < rows * columns; ++i) c.set(i, left.c[(i + i / columns) % left.count]);
            const auto column = [&](const Words& own, const Words& others, std::size_t width, FormatId id) {
                Words all(id, width * columns);
                for (std::size_t j = 0; j < columns; ++j)
                    for (std::size_t k = 0; k < width; ++k)
                        all.set(k * columns + j, (j % 8 == 0 ? own : others)[j * width + k]);
                return all;
            };
            const Words b = column(left.b, right.b, K, unit.b), sb = column(left.sb, right.sb, scales, scale);
            const Patterns a = left.a, sa = left.sa;
            const GemmSize size{.m = rows, .n = columns, .k = K};
            std::vector<std::uint64_t> expected;
            const auto vector = [&](std::size_t i) {
                InputBuffer one;
                for (std::size_t k = 0; k < K; ++k) {
                    one.a.push_back(left.a[i / columns * K + k]);
                    one.b.push_back(b[k * columns + i % columns]);
                }
                for (std::size_t k = 0; k < scales; ++k) {
                    one.sa.push_back(left.sa[i / columns * scales + k]);
                    one.sb.push_back(sb[k * columns + i % columns]);
                }
                one.c = c[i];
                return one;
            };
            for (std::size_t i = 0; i < rows * columns; ++i) expected.push_back(evaluate(vector(i).inputs()));
            for (const Gemm& gemm : gemms) {
                Words d(unit.d, rows * columns);
                ASSERT_TRUE(gemm(size, {a.data(), rows * K, a.word()}, b, c, d.out(),
                                 {sa.data(), rows * scales, sa.word()}, sb));
                for (std::size_t i = 0; i < rows * columns; ++i)
                    ASSERT_EQ(d[i], expected[i]) << gemm.kernels() << ", " << discern::name(family) << ", seed " << seed
                                                 << ": " << describe(unit, vector(i), expected[i], d[i]);
            }
        }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, KernelsOfUnits,
                         testing::Values("hopper/wgmma.m64n8k16.f32.f16.f16", "hopper/wgmma.m64n8k16.f32.bf16.bf16",
                                         "hopper/wgmma.m64n8k8.f32.tf32.tf32", "hopper/wgmma.m64n8k16.f16.f16.f16",
                                         "hopper/wgmma.m64n8k32.f32.e4m3.e4m3", "volta/mma.m8n8k4.f32.f16.f16.f16",
                                         "blackwell/tcgen05.mma.m128n8k32.f32.e5m2.e4m3",
                                         "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0",
                                         "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3",
                                         "e2m1*e2m1+f32->f32 K=64 scale=ue5m3/16 : round[f32 rz overflow=inf zsign=pos "
                                         "usign=pos](fuse[F=35 rz zero=emin](g*[G=16], c))",
                                         "hopper/mma.m16n8k32.f32.e4m3.e4m3.f32", "cdna1/v_mfma_f32_16x16x16f16",
                                         "cdna1/v_mfma_f32_16x16x8bf16", "cdna2/v_mfma_f32_16x16x16f16",
                                         "cdna3/v_mfma_f32_16x16x16_f16", "cdna3/v_mfma_f32_16x16x16_bf16",
                                         "cdna3/v_mfma_f32_16x16x32_fp8_fp8", "riscv/bna.f32.bf16.bf16",
                                         "rdna3/v_wmma_f32_16x16x16_f16", "rdna3/v_wmma_bf16_16x16x16_bf16",
                                         "rdna4/v_wmma_f16_16x16x16_f16.wave32", "rdna4/v_dot2_f32_bf16",
                                         "rdna4/v_wmma_f32_16x16x16_fp8_fp8", "x86/tdpbf16ps", "x86/vdpbf16ps",
                                         "x86/top4mxhf8ps", "x86/vfmadd231ph", "arm/bfmmla", "apple/amx.fma16",
                                         "cdna2/v_dot2_f32_f16"));

} // namespace
} // namespace discern::tests::kernels_test
