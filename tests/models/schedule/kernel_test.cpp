// Kernels: what is printed reads back, what does not fit is said, and all ways to compute one give the same bits.
#include "models/catalogue.hpp"
#include "models/differential.hpp"
#include "models/gemm_inputs.hpp"
#include "models/kernel_gemm.hpp"
#include "models/notation.hpp"
#include "models/random_tree.hpp"
#include "models/unit/sentence.hpp"
#include "models/vectors.hpp"
#include "random_kernel.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace discern::tests {
namespace {

std::string error_of(const std::string& text, std::optional<int> K = std::nullopt) {
    try {
        resolve_kernel(text, K);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

constexpr const char* fma = "x86/fma.f32";
constexpr const char* hopper = "hopper/wgmma.m64n8k16.f32.f16.f16";

TEST(Schedule, ReadsBack) {
    KernelGenerator kernels(1);
    const Unit unit = resolve_unit(hopper);
    for (int i = 0; i < 500; ++i) {
        const Kernel kernel = kernels.next(unit, 64);
        const std::string text = to_string(kernel);
        ASSERT_EQ(resolve_kernel(text), kernel) << text;
        ASSERT_EQ(to_string(resolve_kernel(text)), text);
    }
    const Kernel stream = resolve_kernel(sentence(hopper, "@[split=96+96+64 reduce=reverse:f32:rne]"), 256);
    EXPECT_EQ(to_string(stream.schedule), "split=96+96+64 reduce=reverse:f32:rne");
    EXPECT_EQ(resolve_kernel(fma), (Kernel{resolve_unit(fma), 1, {}})); // a unit is a kernel of one instruction
    EXPECT_EQ(with_length("x86/fma.f32@[split=2]", 8), "x86/fma.f32@[K=8 split=2]");
    EXPECT_EQ(with_length("x86/fma.f32", 8), "x86/fma.f32@[K=8]");
    const std::string written = to_string(resolve_unit(hopper)) + "@[K=32 from=zero]"; // whose tree may have @[ too
    EXPECT_EQ(resolve_kernel(written).K, 32);
}

TEST(Schedule, SaysWhatDoesNotFit) {
    struct Case {
        std::string inside;
        int K;
        const char* says;
    };
    const Case cases[] = {
        {"splt=2", 64, "there is no key 'splt' (did you mean split?)"},
        {"split", 64, "'split' is no KEY=VALUE"},
        {"split=2 split=4", 64, "'split' is there twice"},
        {"split=0", 64, "split='0' is wrong"},
        {"split=3", 64, "split=3 does not divide 64 products into equal parts of whole instructions of 16 products"},
        {"split=32+16", 64, "the lengths are 48 in all, and there are 64 products"},
        {"split=40+24", 64, "split=40 is not a multiple of 16"},
        {"", 40, "K=40 is not a multiple of 16"},
        {"kc=24", 64, "kc=24 is not a multiple of 16"},
        {"kc=64/24", 64, "kc=n/m: m=24 is not a multiple of 16"},
        {"kc=32/32", 64, "m=32 is more than half of a block"},
        {"kc=32+32/16", 64, "kc=n/m, as in kc=384/16, is right"},
        {"kc=32/16/16", 64, "kc=n, kc=n/m or kc=n+n+… is right"},
        {"slice=8", 64, "slice=8, lanes=1 and unroll=1 need 128 products or more, and a part has 64"},
        {"lanes=3 unroll=2", 64, "need 96 products or more"},
        {"run=16", 64, "slice=n is missing"},
        {"promote=128", 64, "promote=n:FORMAT:MODE"},
        {"promote=20:f32:rne", 64, "promote=20 is not a multiple of 16"},
        {"reduce=pairwise:f32", 64, "reduce=ORDER:FORMAT:MODE"},
        {"reduce=pairs:f32:rne", 64, "order, reverse, pairwise, halving or last-halves is right"},
        {"reduce=order:f33:rne", 64, "f33"},
        {"reduce=order:f32:near", 64, "a mode, one of rz, rd, ru, rne, rna, odd, ra, rnu, rnd, rnz, rno, is right"},
        {"reduce=order:e2m1:rne", 64, "numbers cannot be rounded to e2m1"},
        {"from=d", 64, "c or zero is right"},
        {"K=32", 64, "K=32 is between the brackets and 64 is asked for"},
    };
    for (const Case& c : cases) {
        const std::string error = error_of(sentence(hopper, "@[", c.inside, "]"), c.K);
        EXPECT_NE(error.find(c.says), std::string::npos) << c.inside << ": " << error;
    }
    EXPECT_NE(error_of(sentence(hopper, "@[split=2]")).find("the length is missing"), std::string::npos);
    EXPECT_NE(error_of("x86/dpps@[K=8]").find("the unit has no accumulator"), std::string::npos);
    EXPECT_EQ(error_of("x86/dpps@[K=8 split=2]"), "no error");
}

/// Bits of floats, for what can be said in C++.
std::uint64_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

struct Floats {
    std::vector<float> a, b;
    float c;
    InputBuffer buffer;

    Floats(std::size_t K, std::uint64_t seed) : c(0) {
        Random random(seed);
        const auto draw = [&] { return static_cast<float>(random.normal()); };
        for (std::size_t k = 0; k < K; ++k) {
            a.push_back(draw());
            b.push_back(draw());
            buffer.a.push_back(bits(a.back()));
            buffer.b.push_back(bits(b.back()));
        }
        c = draw();
        buffer.c = bits(c);
    }
};

TEST(Kernel, IsTheLoopThatItStandsFor) {
    const auto run = [](const std::string& schedule, const Floats& x) {
        const Kernel kernel = resolve_kernel(sentence(fma, "@[", schedule, "]"), static_cast<int>(x.a.size()));
        const std::uint64_t d = KernelEvaluator(kernel)(x.buffer.inputs());
        EXPECT_EQ(d, evaluate_exactly(kernel, x.buffer.inputs())) << schedule;
        return d;
    };
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Floats x(64, seed);
        const auto chain = [&](std::size_t from, std::size_t to, std::size_t step, float sum) {
            for (std::size_t k = from; k < to; k += step) sum = std::fma(x.a[k], x.b[k], sum);
            return sum;
        };
        EXPECT_EQ(run("", x), bits(chain(0, 64, 1, x.c)));
        EXPECT_EQ(run("from=zero", x), bits(x.c + chain(0, 64, 1, 0)));
        EXPECT_EQ(run("split=4", x),
                  bits(((chain(0, 16, 1, x.c) + chain(16, 32, 1, 0)) + chain(32, 48, 1, 0)) + chain(48, 64, 1, 0)));
        EXPECT_EQ(run("split=4 reduce=reverse", x),
                  bits(((chain(48, 64, 1, 0) + chain(32, 48, 1, 0)) + chain(16, 32, 1, 0)) + chain(0, 16, 1, x.c)));
        EXPECT_EQ(run("split=4 reduce=last-halves", x),
                  bits((chain(48, 64, 1, 0) + (chain(0, 16, 1, x.c) + chain(32, 48, 1, 0))) + chain(16, 32, 1, 0)));
        EXPECT_EQ(run("split=8+8+48 reduce=last-halves", x),
                  bits((chain(16, 64, 1, 0) + chain(0, 8, 1, x.c)) + chain(8, 16, 1, 0)));
        EXPECT_EQ(run("split=2 reduce=last-halves", x), bits(chain(32, 64, 1, 0) + chain(0, 32, 1, x.c)));
        EXPECT_EQ(run("slice=2 run=8 from=zero", x), bits([&] {
                      float even = 0, odd = 0;
                      for (std::size_t k = 0; k < 64; ++k) {
                          float& sum = k / 8 % 2 == 0 ? even : odd;
                          sum = std::fma(x.a[k], x.b[k], sum);
                      }
                      return x.c + (even + odd);
                  }()));
        EXPECT_EQ(run("kc=24 from=zero", x),
                  bits(((x.c + chain(0, 24, 1, 0)) + chain(24, 48, 1, 0)) + chain(48, 64, 1, 0)));
        EXPECT_EQ(run("kc=24/4 from=zero", x), // 40 are left for two blocks: 20 and 20
                  bits(((x.c + chain(0, 24, 1, 0)) + chain(24, 44, 1, 0)) + chain(44, 64, 1, 0)));
        EXPECT_EQ(run("kc=33/8", x), bits(chain(32, 64, 1, chain(0, 32, 1, x.c))));
        EXPECT_EQ(run("kc=40/16 from=zero", x), bits((x.c + chain(0, 32, 1, 0)) + chain(32, 64, 1, 0)));
        EXPECT_EQ(run("kc=34/12 from=zero", x), bits((x.c + chain(0, 36, 1, 0)) + chain(36, 64, 1, 0)));
        // 8 lanes of 2 accumulators, folded by halving strides, as vector code does it.
        EXPECT_EQ(run("lanes=8 unroll=2 reduce=halving:f32:rne from=zero", x), bits([&] {
                      std::array<float, 16> sum{};
                      for (std::size_t k = 0; k < 64; ++k) sum[k % 16] = std::fma(x.a[k], x.b[k], sum[k % 16]);
                      for (std::size_t stride = 8; stride > 0; stride /= 2)
                          for (std::size_t i = 0; i < stride; ++i) sum[i] += sum[i + stride];
                      return x.c + sum[0];
                  }()));
        EXPECT_EQ(
            run("promote=16:f32:rne", x),
            bits((((x.c + chain(0, 16, 1, 0)) + chain(16, 32, 1, 0)) + chain(32, 48, 1, 0)) + chain(48, 64, 1, 0)));
    }
}

TEST(Kernel, PartialSumsMayBeOfAFormatWithoutOne) {
    // fix5.4 has sixteenths from −1 to 15/16. c = 1/16 and two instructions of 1/4 in the first part, one in the other.
    const Kernel kernel = resolve_kernel(
        "f16*f16+fix5.4->fix5.4 K=2 nan=any : round[fix5.4 rne](fuse[exact](c, p*)) @[split=4+2 reduce=order:f32:rne]",
        6);
    const std::uint64_t quarter = 0x3400, unit = 0x3c00;
    const std::vector<std::uint64_t> a = {quarter, 0, quarter, 0, quarter, 0}, b(6, unit);
    const Inputs in{.a = a, .b = b, .sa = {}, .sb = {}, .c = 1};
    EXPECT_EQ(KernelEvaluator(kernel)(in), 13u);
    EXPECT_EQ(evaluate_exactly(kernel, in), 13u);
    Words row(kernel.unit.a, 6), column(kernel.unit.b, 6), c(*kernel.unit.c, 1), d(kernel.d(), 1);
    for (std::size_t k = 0; k < 6; ++k) {
        row.set(k, a[k]);
        column.set(k, b[k]);
    }
    c.set(0, 1);
    ASSERT_TRUE(KernelGemm(kernel)({1, 1, 6}, row, column, c, d.out()));
    EXPECT_EQ(d[0], 13u);
}

/// Every third catalogue arithmetic, and random units.
std::vector<Unit> some_units(std::uint64_t seed, int random) {
    std::vector<Unit> units;
    const auto all = arithmetics();
    for (std::size_t i = seed % 6; i < all.size(); i += 6) units.push_back(all[i]->unit);
    UnitGenerator generator(seed), of_few_bits(seed, true, true);
    for (int i = 0; i < random; ++i) units.push_back((i % 3 == 2 ? of_few_bits : generator).next());
    return units;
}

bool has_kernels(const Unit& unit, int most) {
    try { // some random units cannot be chained at all
        KernelGenerator probe(1);
        validate(Kernel{unit, unit.K * 2, {}});
        return unit.K * most <= 4096;
    } catch (const Error&) {
        return false;
    }
}

/// Any patterns; zeros of both signs are frequent, in c as well.
void draw_any(const Unit& unit, Random& random, InputBuffer& x) {
    const auto fill = [&](FormatId id, std::vector<std::uint64_t>& list, int size) {
        const Format& f = format(id);
        list.resize(static_cast<std::size_t>(size));
        for (std::uint64_t& bits : list) {
            bits = random.bits() & f.mask();
            if (random.one_in(5)) bits &= std::uint64_t{1} << (f.width - 1);
        }
    };
    std::vector<std::uint64_t> c;
    fill(unit.a, x.a, unit.K);
    fill(unit.b, x.b, unit.K);
    const FormatId scale = unit.scale ? unit.scale->format : unit.a;
    fill(scale, x.sa, unit.scales());
    fill(scale, x.sb, unit.scales());
    fill(unit.c.value_or(unit.d), c, 1);
    x.c = unit.c ? c.front() : 0;
}

TEST(Kernel, EvaluatorIsTheOracle) {
    const int times = sweep(1);
    std::uint64_t seed = 0;
    for (const Unit& unit : some_units(static_cast<std::uint64_t>(times), 20 * times)) {
        ++seed;
        if (!has_kernels(unit, 16)) continue;
        KernelGenerator kernels(seed);
        for (int i = 0; i < 2; ++i) {
            const Kernel kernel = kernels.next(unit, 16);
            const KernelEvaluator evaluate(kernel);
            for (const Family family : families) {
                InputGenerator generator(chain_of(kernel), family, seed);
                InputBuffer x;
                for (int n = 0; n < 2 * times; ++n) {
                    generator.next(x);
                    ASSERT_TRUE(same_result(kernel, evaluate(x.inputs()), evaluate_exactly(kernel, x.inputs())))
                        << to_string(kernel) << ", " << name(family) << ", seed " << seed << "\n"
                        << to_json(shape_of(kernel), vector_of(shape_of(kernel), x.inputs()));
                }
            }
        }
    }
}

TEST(Kernel, TreeIsTheKernel) {
    const int times = sweep(1);
    std::uint64_t seed = 0;
    int written = 0;
    for (const Unit& unit : some_units(static_cast<std::uint64_t>(times) + 3, 30 * times)) {
        ++seed;
        if (!has_kernels(unit, 8)) continue;
        KernelGenerator kernels(seed + 1000);
        const Kernel kernel = kernels.next(unit, 8);
        std::optional<Unit> tree;
        try {
            tree = written_out(kernel);
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("cannot be written as one tree"), std::string::npos);
            continue;
        }
        ++written;
        EXPECT_EQ(parse_unit(to_string(*tree)), *tree);
        EXPECT_EQ(shape_of(*tree), shape_of(kernel));
        const KernelEvaluator evaluate(kernel);
        const Evaluator by_tree(*tree);
        for (const Family family : families) {
            InputGenerator generator(*tree, family, seed);
            InputBuffer x;
            for (int n = 0; n < 4 * times; ++n) {
                generator.next(x);
                ASSERT_TRUE(same_result(kernel, evaluate(x.inputs()), by_tree(x.inputs())))
                    << to_string(kernel) << "\n"
                    << to_string(*tree) << "\n"
                    << name(family) << ", seed " << seed << "\n"
                    << to_json(shape_of(kernel), vector_of(shape_of(kernel), x.inputs()));
            }
        }
    }
    EXPECT_GT(written, 10);
}

// With few bits special values, zeros and subnormal numbers meet all the time. The oracle has the last word.
TEST(Kernel, TreeIsTheKernelOfSmallFormats) {
    const int units = sweep(400);
    UnitGenerator generator(9, true, true);
    KernelGenerator kernels(10);
    Random random(11);
    int written = 0, re_read = 0;
    for (int i = 0; i < units; ++i) {
        const Unit unit = generator.next();
        if (!has_kernels(unit, 6)) continue;
        const Kernel kernel = kernels.next(unit, 6);
        std::optional<Unit> tree;
        try {
            tree = written_out(kernel);
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("cannot be written as one tree"), std::string::npos);
            continue;
        }
        ++written;
        re_read += to_string(unit).find("as=") != std::string::npos ? 1 : 0;
        ASSERT_EQ(parse_unit(to_string(*tree)), *tree);
        const KernelEvaluator evaluate(kernel);
        const Evaluator by_tree(*tree);
        InputBuffer x;
        for (int n = 0; n < 300; ++n) {
            draw_any(*tree, random, x);
            const std::uint64_t want = n % 8 == 0 ? evaluate_exactly(kernel, x.inputs()) : evaluate(x.inputs());
            ASSERT_TRUE(same_result(kernel, want, by_tree(x.inputs())))
                << to_string(kernel) << "\n"
                << to_string(*tree) << "\n"
                << to_json(shape_of(kernel), vector_of(shape_of(kernel), x.inputs()));
        }
    }
    EXPECT_GT(written, units / 4);
    EXPECT_GT(re_read, units / 50);
}

// A result that is read again as another format keeps its infinity, its NaN and the sign of its zero, whatever that
// format has; only the exponent of small numbers changes. c[as=…] beside the tree that says the same.
TEST(Kernel, AccumulatorsKeepWhatTheFormatTheyAreReadInLacks) {
    const auto d = [](const std::string& unit, const std::vector<std::uint64_t>& a, std::uint64_t b, std::uint64_t c) {
        const Kernel kernel = resolve_kernel(unit);
        const std::vector<std::uint64_t> all_b(a.size(), b);
        const Inputs in{.a = a, .b = all_b, .sa = {}, .sb = {}, .c = c};
        const std::uint64_t bits = Evaluator(written_out(kernel))(in);
        EXPECT_EQ(bits, KernelEvaluator(kernel)(in)) << unit;
        EXPECT_EQ(bits, evaluate_exactly(kernel, in)) << unit;
        return bits;
    };
    // 192 · 192 is infinite in e4m2, and stays so where it is read as a number of a format without infinity.
    const std::string rest = "->e4m2ieee K=1 : round[e4m2ieee rne](fuse[exact](p*, c[as=";
    for (const std::string as : {"e5m3fn", "e5m3fnuz", "e5m3f", "e5m3ieee", "e4m2fn", "f64"})
        EXPECT_EQ(d("e4m2ieee*e4m2ieee+e4m2ieee" + rest + as + "]))@[K=4 kc=2]", {0x3a, 0, 0, 0}, 0x3a, 0), 0x3cu)
            << as;
    // −0 + −0 is −0.
    for (const std::string as : {"e5m3fn", "e5m3fnuz", "e5m3f", "f64"})
        EXPECT_EQ(d("e4m2ieee*e4m2ieee+e4m2ieee" + rest + as + "]))@[K=4 kc=2]", {0x40, 0x40, 0x40, 0x40}, 0, 0x40),
                  0x40u)
            << as;
    // 2^−8, subnormal in e4m2 (whose least exponent is −6), and one of 2^−15 beside it. e5m3fnuz ends at 2^−15: F=7
    // keeps both. With the exponents of e4m2 only what is 2^−13 or more would be left.
    const std::string cut = "bf16*bf16+e4m2ieee->e4m2ieee K=1 : round[e4m2ieee ru](fuse[F=7 rz](p*, c";
    EXPECT_EQ(d(cut + "[as=e5m3fnuz]))@[K=2 kc=1]", {0x3b80, 0x3800}, 0x3f80, 0), 2u);
    EXPECT_EQ(d(cut + "))@[K=2 kc=1]", {0x3b80, 0x3800}, 0x3f80, 0), 1u);
}

TEST(KernelGemm, ProductsAreTheEvaluators) {
    const int times = sweep(1);
    std::uint64_t seed = 0;
    for (const Unit& unit : some_units(static_cast<std::uint64_t>(times) + 1, 6 * times)) {
        ++seed;
        if (!has_kernels(unit, 40)) continue;
        KernelGenerator kernels(seed + 2000);
        const Kernel kernel = kernels.next(unit, seed % 2 == 0 ? 40 : 8);
        const KernelEvaluator evaluate(kernel);
        const Shape shape = shape_of(kernel);
        const std::size_t m = 3, n = 66, K = static_cast<std::size_t>(kernel.K);
        const std::size_t scales = static_cast<std::size_t>(shape.scales());
        const FormatId scale = shape.scale ? shape.scale->format : shape.a;
        const Family family = families[seed % 5];
        Words a(shape.a, m * K), b(shape.b, K * n), c(shape.c.value_or(shape.d), m * n), sa(scale, m * scales),
            sb(scale, scales * n);
        std::vector<InputBuffer> rows(m), columns(n);
        InputGenerator generator(chain_of(kernel), family, seed);
        for (std::size_t i = 0; i < m; ++i) generator.next(rows[i]);
        for (std::size_t j = 0; j < n; ++j) generator.next(columns[j]);
        for (std::size_t k = 0; k < K; ++k) {
            for (std::size_t i = 0; i < m; ++i) a.set(i * K + k, rows[i].a[k]);
            for (std::size_t j = 0; j < n; ++j) b.set(k * n + j, columns[j].b[k]);
        }
        for (std::size_t k = 0; k < scales; ++k) {
            for (std::size_t i = 0; i < m; ++i) sa.set(i * scales + k, rows[i].sa[k]);
            for (std::size_t j = 0; j < n; ++j) sb.set(k * n + j, columns[j].sb[k]);
        }
        for (std::size_t i = 0; i < m * n; ++i) c.set(i, columns[i % n].c);
        for (const KernelChoice set : {KernelChoice::best, KernelChoice::general}) {
            if (set == KernelChoice::general && seed % 4 != 0) continue;
            GemmOptions options = with(set);
            options.threads = 2;
            const KernelGemm gemm(kernel, options);
            Words d(shape.d, m * n);
            ASSERT_TRUE(gemm({m, n, K}, a, b, shape.c ? Patterns(c) : Patterns(), d.out(),
                             scales == 0 ? Patterns() : Patterns(sa), scales == 0 ? Patterns() : Patterns(sb)));
            for (std::size_t i = 0; i < m; ++i)
                for (std::size_t j = 0; j < n; ++j) {
                    InputBuffer x = columns[j];
                    x.a = rows[i].a;
                    x.sa = rows[i].sa;
                    const std::uint64_t want = evaluate(x.inputs());
                    ASSERT_TRUE(same_result(kernel, d[i * n + j], want))
                        << to_string(kernel) << " with " << gemm.kernels() << ", " << name(family) << ", seed " << seed
                        << ", element " << i << ", " << j << ": " << hex_of(d[i * n + j], shape.d) << ", expected "
                        << hex_of(want, shape.d);
                }
        }
    }
}

TEST(KernelGemm, AlphaAndBetaComeAfterTheSum) {
    const Kernel kernel = resolve_kernel(sentence(fma, "@[K=32 split=2 reduce=order:f32:rne]"));
    const Floats x(32, 7);
    Words a(FormatId::f32, 32), b(FormatId::f32, 32), c(FormatId::f32, 1), d(FormatId::f32, 1);
    for (std::size_t k = 0; k < 32; ++k) {
        a.set(k, x.buffer.a[k]);
        b.set(k, x.buffer.b[k]);
    }
    c.set(0, x.buffer.c);
    GemmOptions options;
    options.alpha = 0.5;
    options.beta = 3;
    ASSERT_TRUE(KernelGemm(kernel, options)({1, 1, 32}, a, b, c, d.out()));
    float low = 0, high = 0;
    for (std::size_t k = 0; k < 16; ++k) low = std::fma(x.a[k], x.b[k], low);
    for (std::size_t k = 16; k < 32; ++k) high = std::fma(x.a[k], x.b[k], high);
    EXPECT_EQ(d[0], bits(std::fma(0.5F, low + high, 3 * x.c)));
}

} // namespace
} // namespace discern::tests
