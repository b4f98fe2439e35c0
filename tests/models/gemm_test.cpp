// Whole matrix products against the general evaluator, element by element.
#include "gemm_inputs.hpp"
#include "sweep.hpp"

#include "models/error.hpp"
#include "models/kernel_gemm.hpp"
#include "models/unit/sentence.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace discern::tests::gemm_test {
namespace {

/// D by one evaluation an element and an instruction.
Words expected_product(const Unit& unit, GemmSize s, const Words& a, const Words& b, const Words& c, const Words& sa,
                       const Words& sb, std::size_t scales) {
    Unit chained = unit;
    if (unit.c) chained.c = unit.d;
    const Evaluator first(unit), rest(chained);
    const auto K = static_cast<std::size_t>(unit.K), of_step = static_cast<std::size_t>(unit.scales());
    Words d(unit.d, s.m * s.n);
    for (std::size_t i = 0; i < s.m; ++i)
        for (std::size_t j = 0; j < s.n; ++j) {
            std::uint64_t acc = unit.c ? c[i * s.n + j] : 0;
            for (std::size_t k0 = 0; k0 < s.k; k0 += K) {
                InputBuffer x;
                for (std::size_t k = k0; k < k0 + K; ++k) {
                    x.a.push_back(k < s.k ? a[i * s.k + k] : 0);
                    x.b.push_back(k < s.k ? b[k * s.n + j] : 0);
                }
                for (std::size_t l = 0; l < of_step; ++l) {
                    const std::size_t k = k0 / K * of_step + l;
                    const Format& f = format(unit.scale->format);
                    const std::uint64_t one = static_cast<std::uint64_t>(f.bias) << f.mantissa_bits;
                    x.sa.push_back(k < scales ? sa[i * scales + k] : one);
                    x.sb.push_back(k < scales ? sb[k * s.n + j] : one);
                }
                x.c = acc;
                acc = (k0 == 0 ? first : rest)(x.inputs());
            }
            d.set(i * s.n + j, acc);
        }
    return d;
}

/// The first element in which two matrices differ; empty if none.
std::string first_unequal(const Unit& unit, const Words& got, const Words& expected) {
    const std::size_t size = Patterns(got).size();
    for (std::size_t i = 0; i < size; ++i)
        if (got[i] != expected[i])
            return "element " + std::to_string(i) + ": " + hex_of(got[i], unit.d) + ", expected " +
                   hex_of(expected[i], unit.d);
    return "";
}

/// A matrix, k × n, column after column.
Words by_columns(FormatId id, const Words& b, std::size_t k, std::size_t n) {
    Words to(id, k * n);
    for (std::size_t l = 0; l < k; ++l)
        for (std::size_t j = 0; j < n; ++j) to.set(j * k + l, b[l * n + j]);
    return to;
}

struct Product {
    GemmSize size;
    std::size_t scales;
    Words a, b, c, sa, sb;

    /// Rows and columns from vectors of a family, in turn.
    Product(const Unit& unit, GemmSize s, std::size_t of_k, Family family, std::uint64_t seed)
        : size(s), scales(of_k), a(unit.a, s.m * s.k), b(unit.b, s.k * s.n), c(unit.c.value_or(unit.d), s.m * s.n),
          sa(unit.scale ? unit.scale->format : unit.a, s.m * of_k),
          sb(unit.scale ? unit.scale->format : unit.a, of_k * s.n) {
        InputGenerator generator(unit, family, seed);
        InputBuffer x;
        const auto K = static_cast<std::size_t>(unit.K);
        for (std::size_t line = 0; line < std::max(s.m, s.n); ++line) {
            for (std::size_t k = 0; k < s.k; ++k) {
                if (k % K == 0) generator.next(x);
                if (line < s.m) a.set(line * s.k + k, x.a[k % K]);
                if (line < s.n) b.set(k * s.n + line, x.b[k % K]);
            }
            for (std::size_t k = 0; k < of_k; ++k) {
                if (line < s.m) sa.set(line * of_k + k, x.sa[k % x.sa.size()]);
                if (line < s.n) sb.set(k * s.n + line, x.sb[k % x.sb.size()]);
            }
        }
        for (std::size_t i = 0; i < s.m * s.n; ++i) {
            if (i % 7 == 0) generator.next(x);
            c.set(i, i % 3 == 0 ? 0 : x.c);
        }
    }
};

TEST(Gemm, ProductsOfEveryArithmetic) {
    std::uint64_t seed = 0;
    for (const CatalogueEntry* entry : arithmetics()) {
        const Unit& unit = entry->unit;
        ++seed;
        const auto K = static_cast<std::size_t>(unit.K);
        const GemmSize size{.m = 5, .n = 67, .k = unit.c ? K + K / 2 + 1 : K};
        for (const Family family : {families[seed % 5], families[(seed + 2) % 5]}) {
            if ((slowness > 1 || !takes_part(seed, 4)) && family != families[seed % 5]) continue;
            const Product p(unit, size, Gemm(unit).scales(size.k), family, seed);
            const Words expected = expected_product(unit, size, p.a, p.b, p.c, p.sa, p.sb, p.scales);
            for (const KernelChoice set : {KernelChoice::avx512fp16, KernelChoice::avx512, KernelChoice::avx2,
                                           KernelChoice::portable, KernelChoice::general}) {
                if (set == KernelChoice::general ? seed % 8 != 0 : !takes_part(seed + static_cast<std::size_t>(set), 2))
                    continue;
                GemmOptions options = with(set);
                options.threads = 2;
                const Gemm gemm(unit, options);
                Words d(unit.d, size.m * size.n);
                ASSERT_TRUE(gemm(size, p.a, p.b, p.c, d.out(), p.sa, p.sb));
                ASSERT_EQ(first_unequal(unit, d, expected), "")
                    << entry->name << " with " << gemm.kernels() << ", " << name(family) << ", seed " << seed;
                if (!takes_part(seed / 2, 2)) continue; // the other layouts, by turns
                options.b_by_columns = true;
                const Words columns = by_columns(unit.b, p.b, size.k, size.n);
                Words turned(unit.d, size.m * size.n);
                ASSERT_TRUE(Gemm(unit, options)(size, p.a, columns, p.c, turned.out(), p.sa, p.sb));
                ASSERT_EQ(first_unequal(unit, turned, expected), "") << entry->name << ", B by columns";
                options.b_by_columns = false;
                if (unit.scale) continue;
                options.packed_b = std::make_shared<const PackedMatrix>(unit.b, size.k, size.n, p.b);
                Words again(unit.d, size.m * size.n);
                ASSERT_TRUE(Gemm(unit, options)(size, p.a, p.b, p.c, again.out()));
                ASSERT_EQ(first_unequal(unit, again, expected), "") << entry->name << ", B packed before";
            }
        }
    }
}

/// Units that read the same formats, each given the tables of each.
TEST(Gemm, TablesOfAnotherUnitAreUsedWhereTheyAreRight) {
    const auto of = [](const std::string& formats, const std::string& products) {
        return resolve_unit(formats + "->f32 K=16 : round[f32 rz](fuse[F=25 rz](p*" + products + ", c))");
    };
    std::vector<Unit> units;
    for (const char* const formats : {"e4m3*e4m3+f32", "e4m3*e5m2+f32", "e5m2*e4m3+f32"})
        for (const char* const products : {"", "[as=f16]", "[ftz]", "[ftz=pos]"})
            units.push_back(of(formats, products));
    units.push_back(resolve_unit("cdna2/v_mfma_f32_16x16x16f16"));
    units.push_back(resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16"));
    const GemmSize size{.m = 4, .n = 64, .k = 16};
    for (const Unit& unit : units) {
        const Product p(unit, size, 0, Family::subnormals_and_zeros, 1);
        const Words expected = expected_product(unit, size, p.a, p.b, p.c, p.sa, p.sb, 0);
        for (const Unit& other : units) {
            GemmOptions options;
            options.tables = Gemm(other).tables();
            ASSERT_NE(options.tables, nullptr);
            Words d(unit.d, size.m * size.n);
            ASSERT_TRUE(Gemm(unit, options)(size, p.a, p.b, p.c, d.out()));
            EXPECT_EQ(first_unequal(unit, d, expected), "") << to_string(unit) << " by " << to_string(other);
        }
    }
}

/// Of several chunks of k, and what is packed for another product.
TEST(Gemm, AMatrixStaysPacked) {
    const Unit unit = resolve_unit("hopper/wgmma.m64n8k32.f32.e4m3.e4m3");
    const GemmSize size{.m = 70, .n = 130, .k = 600};
    const Product p(unit, size, 0, Family::normal, 1), other(unit, size, 0, Family::normal, 2);
    const auto multiply = [&](const Words& b, std::shared_ptr<const PackedMatrix> packed, const GemmSize& s) {
        GemmOptions options;
        options.threads = 2;
        options.packed_b = std::move(packed);
        Words d(unit.d, s.m * s.n);
        EXPECT_TRUE(Gemm(unit, options)(s, p.a, b, p.c, d.out()));
        return d;
    };
    const auto packed = std::make_shared<const PackedMatrix>(unit.b, size.k, size.n, p.b);
    EXPECT_EQ(packed->bytes(), 640u * 192); // whole tiles
    EXPECT_EQ(multiply(p.b, packed, size), multiply(p.b, nullptr, size));
    EXPECT_EQ(multiply(other.b, packed, size), multiply(other.b, nullptr, size)); // of other patterns: not used
    // Kernels whose chains are in the order of k use it too; in another order they pack by themselves.
    for (const char* schedule : {"promote=128:f32:rne", "split=320+320 reduce=order:f32:rne", "slice=2 run=64"}) {
        const Kernel kernel = resolve_kernel(sentence("hopper/wgmma.m64n8k32.f32.e4m3.e4m3@[K=640 ", schedule, "]"));
        const GemmSize whole{.m = 70, .n = 130, .k = 640};
        const Product q(unit, whole, 0, Family::uniform_bits, 3);
        GemmOptions options;
        Words d(unit.d, whole.m * whole.n), again = d;
        EXPECT_TRUE(KernelGemm(kernel, options)(whole, q.a, q.b, q.c, d.out()));
        options.packed_b = std::make_shared<const PackedMatrix>(unit.b, whole.k, whole.n, q.b);
        EXPECT_TRUE(KernelGemm(kernel, options)(whole, q.a, q.b, q.c, again.out()));
        EXPECT_EQ(d, again) << schedule;
        for (const GemmSize s : {whole, GemmSize{.m = 3, .n = 130, .k = 640}})
            for (const bool kept : {false, true}) {
                const Words columns = by_columns(unit.b, q.b, s.k, s.n);
                options.b_by_columns = true;
                options.packed_b =
                    kept ? std::make_shared<const PackedMatrix>(unit.b, s.k, s.n, columns, true) : nullptr;
                Words some(unit.d, s.m * s.n), a(unit.a, s.m * s.k), c(unit.d, s.m * s.n);
                for (std::size_t i = 0; i < s.m * s.k; ++i) a.set(i, q.a[i]);
                for (std::size_t i = 0; i < s.m * s.n; ++i) c.set(i, q.c[i]);
                EXPECT_TRUE(KernelGemm(kernel, options)(s, a, columns, c, some.out()));
                for (std::size_t i = 0; i < s.m * s.n; ++i) ASSERT_EQ(some[i], d[i]) << schedule << ", " << i;
            }
    }
    EXPECT_THROW(PackedMatrix(unit.b, 3, 3, p.b), Error);
}

/// Mostly zeros, and accumulators near the smallest numbers: groups without a product, sums that are subnormal.
TEST(Gemm, FewOperandsThatAreNotZero) {
    for (const char* name : {"blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3",
                             "cdna3/v_mfma_f32_16x16x16_f16", "cdna3/v_mfma_f32_16x16x16_bf16",
                             "cdna3/v_mfma_f32_16x16x32_fp8_fp8", "hopper/wgmma.m64n8k16.f32.bf16.bf16"}) {
        const Unit unit = resolve_unit(name);
        const GemmSize size{.m = 11, .n = 70, .k = 2 * static_cast<std::size_t>(unit.K)};
        for (int round = 0; round < sweep(2); ++round)
            for (const Family family : families) {
                const auto seed = static_cast<std::uint64_t>(round);
                Product p(unit, size, Gemm(unit).scales(size.k), family, seed);
                Random random(seed);
                for (std::size_t i = 0; i < size.m * size.k; ++i)
                    if (random.below(8) < static_cast<int>(i / size.k % 8)) p.a.set(i, 0);
                for (std::size_t i = 0; i < size.k * size.n; ++i)
                    if (random.below(8) < static_cast<int>(i % 8)) p.b.set(i, 0);
                for (std::size_t i = 0; i < size.m * size.n; ++i)
                    if (i % 4 != 0) p.c.set(i, random.bits() & (i % 4 == 1 ? 0x807fffff : 0x87ffffff));
                const Words expected = expected_product(unit, size, p.a, p.b, p.c, p.sa, p.sb, p.scales);
                for (const KernelChoice set : sets) {
                    const Gemm gemm(unit, with(set));
                    Words d(unit.d, size.m * size.n);
                    ASSERT_TRUE(gemm(size, p.a, p.b, p.c, d.out(), p.sa, p.sb));
                    ASSERT_EQ(first_unequal(unit, d, expected), "")
                        << name << " with " << gemm.kernels() << ", round " << round;
                }
            }
    }
}

TEST(Gemm, SpecialOperandsAreNoCliff) {
    // One NaN or infinity in every row of A: the kernels' own answer is compared with Evaluator's.
    const Unit unit = resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16");
    const GemmSize size{.m = 8, .n = 70, .k = 48};
    Product p(unit, size, 0, Family::normal, 3);
    for (std::size_t i = 0; i < size.m; ++i) p.a.set(i * size.k + 5 * i % size.k, i % 2 == 0 ? 0x7e01 : 0xfc00);
    p.b.set(3, 0x7c00);
    p.c.set(11, 0xff800000);
    const Words expected = expected_product(unit, size, p.a, p.b, p.c, p.sa, p.sb, 0);
    for (const KernelChoice set : sets) {
        const Gemm gemm(unit, with(set));
        Words d(unit.d, size.m * size.n);
        ASSERT_TRUE(gemm(size, p.a, p.b, p.c, d.out()));
        EXPECT_EQ(first_unequal(unit, d, expected), "") << gemm.kernels();
    }
}

TEST(Gemm, AlphaBetaAndFromZero) {
    // Against the same written with units: from +0, then one multiply-add.
    const Unit unit = resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16");
    const GemmSize size{.m = 7, .n = 65, .k = 40};
    const Product p(unit, size, 0, Family::cancelling, 4);
    Words zero(unit.d, size.m * size.n);
    const Words sums = expected_product(unit, size, p.a, p.b, zero, p.sa, p.sb, 0);
    for (const auto& [alpha, beta, from_zero] : {std::tuple{1.0, 1.0, true}, {0.75, -3.0, false}, {2.0, 0.0, false}}) {
        GemmOptions options;
        options.alpha = alpha;
        options.beta = beta;
        options.from_zero = from_zero;
        Words d(unit.d, size.m * size.n);
        ASSERT_TRUE(Gemm(unit, options)(size, p.a, p.b, beta == 0 ? Patterns() : Patterns(p.c), d.out()));
        for (std::size_t i = 0; i < size.m * size.n; ++i) {
            const auto number = [](std::uint64_t bits) {
                return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
            };
            const float term = beta == 0 ? 0.0F : static_cast<float>(beta) * number(p.c[i]);
            const float want = std::fma(static_cast<float>(alpha), number(sums[i]), term);
            const std::uint64_t bits = std::isnan(want) ? unit.nan.bits : std::bit_cast<std::uint32_t>(want);
            ASSERT_EQ(d[i], bits) << "element " << i;
        }
    }
}

TEST(Gemm, SaysWhatIsWrong) {
    const Unit unit = resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16");
    const Gemm gemm(unit);
    std::vector<std::uint16_t> a(4), b(4);
    std::vector<std::uint32_t> c(4), d(4);
    const auto run = [&](GemmSize size, Patterns left) {
        return gemm(size, left, std::span(b), std::span(c), std::span(d));
    };
    EXPECT_TRUE(run({2, 2, 2}, std::span(a)));
    EXPECT_THROW(run({2, 2, 0}, std::span(a)), Error);
    EXPECT_THROW(run({3, 2, 2}, std::span(a)), Error);
    EXPECT_THROW(run({2, 2, 2}, std::span(c)), Error);
    GemmOptions options;
    options.alpha = 0.1;
    EXPECT_THROW(Gemm(unit, options), Error);
    const Gemm dpps(resolve_unit("x86/dpps"));
    std::vector<std::uint32_t> x(8);
    EXPECT_THROW(dpps({1, 1, 8}, std::span(x), std::span(x), {}, std::span(d.data(), 1)), Error);
    // c is read as bf16, which does not hold the results: one instruction is a product, two are none.
    const Gemm narrow(parse_unit("e2m1*e3m2+e5m2->f16 K=1 : round[f16 rz](fuse[exact](p*, c[as=bf16]))"));
    const std::vector<std::uint8_t> two = {2, 12}, one_of_c = {0x3c};
    std::vector<std::uint16_t> result(1);
    const auto product = [&](std::size_t k) {
        return narrow({1, 1, k}, std::span(two).first(k), std::span(two).last(k), std::span(one_of_c),
                      std::span(result));
    };
    EXPECT_TRUE(product(1));
    EXPECT_EQ(result[0], 0x4000); // 1 · 1 + 1
    EXPECT_THROW(product(2), Error);
}

TEST(Gemm, ProgressEndsTheWork) {
    GemmOptions options;
    options.progress = [](double) { return false; };
    const Gemm gemm(resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16"), options);
    std::vector<std::uint16_t> a(200 * 16), b(16 * 200);
    std::vector<std::uint32_t> d(200 * 200);
    EXPECT_FALSE(gemm({200, 200, 16}, std::span(a), std::span(b), std::span(d), std::span(d)));
}

} // namespace
} // namespace discern::tests::gemm_test
