// A kernel's graph with numbers gives what the models give for its schedule, and what PTX says of single instructions.
#include "kernel_files.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/kernel_gemm.hpp"
#include "models/random.hpp"
#include "programs/functions/functions.hpp"
#include "programs/reading/numbers.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

using namespace discern;
using namespace discern::programs;

namespace {

enum class Style { ordinary, cancelling, any };

/// Numbers about one, numbers that cancel, or any finite patterns.
std::uint64_t pattern(const Format& f, Style style, Random& random) {
    for (;;) {
        std::uint64_t bits = random.bits() & f.mask();
        const Decoded number = decode(f, bits);
        if (number.number_class != NumberClass::finite) continue;
        if (style == Style::any) return bits;
        const int spread = style == Style::cancelling ? 1 : 4;
        if (std::abs(number.exponent) > spread) continue;
        return bits;
    }
}

Arrays random_arrays(const Launch& launch, Style style, Random& random) {
    Arrays arrays;
    for (const ArraySpec& array : launch.arrays) {
        arrays.emplace_back();
        const Format& f = format(require_format(array.format, "test"));
        for (std::uint64_t i = 0; i < array.elements() && !array.is_result; ++i)
            arrays.back().push_back(pattern(f, style, random));
    }
    return arrays;
}

/// What the schedule gives: A m × k; B k × n, or n × k as the launch says.
std::vector<std::uint64_t> scheduled(const KernelReading& reading, const Arrays& arrays) {
    const Kernel& kernel = reading.results[0].schedule->kernel;
    const ArraySpec &a = reading.kernel.launch.arrays[0], &b = reading.kernel.launch.arrays[1];
    const std::size_t m = a.shape[0], k = a.shape[1], n = b.axes == "kn" ? b.shape[1] : b.shape[0];
    const auto as_bytes = [](const std::vector<std::uint64_t>& words, std::size_t word) {
        std::vector<std::uint8_t> bytes;
        for (const std::uint64_t bits : words)
            for (std::size_t i = 0; i < word; ++i) bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
        return bytes;
    };
    std::vector<std::uint64_t> by_rows(k * n);
    for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j < n; ++j) by_rows[i * n + j] = arrays[1][b.axes == "kn" ? i * n + j : j * k + i];
    const std::size_t word = word_bytes(kernel.unit.a), out = word_bytes(kernel.d());
    const auto a_bytes = as_bytes(arrays[0], word), b_bytes = as_bytes(by_rows, word);
    std::vector<std::uint32_t> c(m * n, 0);
    std::vector<std::uint8_t> d(m * n * out);
    KernelGemm gemm(kernel);
    gemm({m, n, k}, {a_bytes.data(), m * k, word}, {b_bytes.data(), k * n, word}, std::span<const std::uint32_t>(c),
         {d.data(), m * n, out});
    std::vector<std::uint64_t> result;
    for (std::size_t i = 0; i < m * n; ++i) {
        std::uint64_t bits = 0;
        for (std::size_t j = 0; j < out; ++j) bits |= std::uint64_t(d[i * out + j]) << (8 * j);
        result.push_back(bits);
    }
    return result;
}

std::uint64_t f32(float x) { return std::bit_cast<std::uint32_t>(x); }

} // namespace

TEST(KernelNumbers, GraphsAreTheirSchedules) {
    constexpr std::uint64_t seed = 11;
    Random random(seed);
    for (const char* name : {"mm_f16_sm80", "mm_f16_sm90", "mm_f16_sm100", "mm_e4m3_promote_sm90", "cluster_rows_sm90",
                             "cluster_split_sm90"}) {
        Terms terms;
        const KernelReading reading = read_file(name, terms);
        ASSERT_TRUE(reading.results[0].schedule) << name;
        const KernelNumbers numbers(reading.kernel);
        for (const Style style : {Style::ordinary, Style::cancelling, Style::any}) {
            const Arrays arrays = random_arrays(reading.kernel.launch, style, random);
            EXPECT_EQ(numbers(arrays)[0], scheduled(reading, arrays)) << name << " with seed " << seed;
        }
    }
}

TEST(KernelNumbers, EveryKernelHasValues) {
    Random random(5);
    for (const char* name : {"attention_sm80", "blockscale_e4m3_sm90", "mm_bias_gelu_sm90", "mm_tf32x3_sm80",
                             "rowsum_sm80", "splitk_atomic_sm80"}) {
        Terms terms;
        const KernelReading reading = read_file(name, terms);
        const KernelNumbers numbers(reading.kernel);
        const Arrays results = numbers(random_arrays(reading.kernel.launch, Style::ordinary, random));
        EXPECT_EQ(results[0].size(), reading.results[0].folded.elements.size()) << name;
        EXPECT_EQ(numbers.stand_ins(), reading.results[0].uninterpreted) << name;
    }
}

// Directed roundings, by the exact evaluation of a unit that multiplies and adds.
TEST(Functions, DirectedRoundingsAreThoseOfAMultiplyAdd) {
    Random random(7);
    const std::uint64_t special[] = {0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                     1, 0x80000001, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x7fc00000};
    const auto word = [&] {
        if (random.one_in(3)) return special[random.below(static_cast<int>(std::size(special)))];
        const std::uint64_t bits = random.bits() & 0xffffffff;
        return random.one_in(2) ? bits : (bits & 0x80ffffff) | 0x3f000000;
    };
    for (const auto& [ptx, mode] : {std::pair("rz", "rz"), std::pair("rm", "rd"), std::pair("rp", "ru")}) {
        const Unit unit = resolve_unit(std::string("f32*f32+f32->f32 K=1 nan=7fffffff : round[f32 ") + mode +
                                       "](fuse[exact](p*, c))");
        const auto name = [mark = std::string(ptx)](const char* root) {
            return std::string(root) + "." + mark + ".f32";
        };
        const Function fma = function_of(name("fma")), mul = function_of(name("mul")), add = function_of(name("add")),
                       sub = function_of(name("sub"));
        for (int i = 0; i < 20000; ++i) {
            const std::uint64_t a = word(), b = word(), c = word(), one = 0x3f800000;
            const auto exact = [&](std::uint64_t x, std::uint64_t y, std::uint64_t z) {
                return evaluate_exactly(unit, {.a = {&x, 1}, .b = {&y, 1}, .sa = {}, .sb = {}, .c = z});
            };
            const std::uint64_t abc[] = {a, b, c};
            ASSERT_EQ(fma(abc), exact(a, b, c)) << std::hex << name("fma ") << a << ' ' << b << ' ' << c;
            ASSERT_EQ(add(abc), exact(a, one, b)) << std::hex << name("add ") << a << ' ' << b;
            // A zero of its own sign added to a product changes no bit of it.
            ASSERT_EQ(mul(abc), exact(a, b, (a ^ b) & 0x80000000)) << std::hex << name("mul ") << a << ' ' << b;
            if (!std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(b)))) {
                ASSERT_EQ(sub(abc), exact(a, one, b ^ 0x80000000)) << std::hex << name("sub ") << a << ' ' << b;
            }
        }
    }
}

TEST(KernelNumbers, FunctionsRoundAsPtxSays) {
    const auto value = [](const std::string& name, std::initializer_list<std::uint64_t> arguments) {
        const Function function = function_of(name);
        EXPECT_TRUE(static_cast<bool>(function)) << name;
        return function(arguments.begin());
    };
    EXPECT_EQ(value("add.rn.f32", {f32(1), f32(0x1p-24f)}), f32(1));
    EXPECT_EQ(value("add.ftz.f32", {f32(0x1p-130f), f32(0)}), f32(0));
    EXPECT_EQ(value("fma.rn.f32", {f32(1 + 0x1p-23f), f32(1 + 0x1p-23f), f32(-1)}), f32(0x1p-22f + 0x1p-46f));
    EXPECT_EQ(value("max.f32", {0x7fc00000, f32(2)}), f32(2));
    EXPECT_EQ(value("max.NaN.f32", {0x7fc00000, f32(2)}), 0x7fffffffu);
    // f16 and bf16: of all pairs of patterns near the borders the larger and the smaller, as the order of patterns has
    // it.
    const std::uint64_t words[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x3c00, 0xbc00, 0x3f80, 0x7bff,
                                   0xfbff, 0x7c00, 0xfc00, 0x7f80, 0xff80, 0x7e01, 0x7fc1, 0xffff};
    const auto place = [](std::uint64_t w) { return w & 0x8000 ? 0x7fff - static_cast<int>(w) : static_cast<int>(w); };
    for (const auto& [type, infinity] : {std::pair("f16", 0x7c00u), std::pair("bf16", 0x7f80u)})
        for (const std::uint64_t a : words)
            for (const std::uint64_t b : words) {
                const bool is_nan[] = {(a & 0x7fff) > infinity, (b & 0x7fff) > infinity};
                const std::uint64_t larger = place(a) < place(b) ? b : a, smaller = place(a) < place(b) ? a : b;
                const auto right = [&](std::uint64_t number, bool keeps) -> std::uint64_t {
                    if (!is_nan[0] && !is_nan[1]) return number;
                    return keeps || (is_nan[0] && is_nan[1]) ? 0x7fff : is_nan[0] ? b : a;
                };
                EXPECT_EQ(value(std::string("max.") + type, {a, b}), right(larger, false)) << type << a << ' ' << b;
                EXPECT_EQ(value(std::string("min.") + type, {a, b}), right(smaller, false)) << type << a << ' ' << b;
                EXPECT_EQ(value(std::string("max.NaN.") + type, {a, b}), right(larger, true)) << type << a << ' ' << b;
                EXPECT_EQ(value(std::string("min.NaN.") + type, {a, b}), right(smaller, true)) << type << a << ' ' << b;
            }
    EXPECT_EQ(value("max.ftz.f16", {0x8001, 0x83ff}), 0x8000u);
    EXPECT_EQ(value("max.ftz.f16", {0x0400, 0x03ff}), 0x0400u);
    EXPECT_EQ(value("max.f32", {f32(-0.0f), f32(0.0f)}), f32(0.0f));
    EXPECT_EQ(value("min.f32", {f32(0.0f), f32(-0.0f)}), f32(-0.0f));
    EXPECT_EQ(value("cvt.rn.f16.f32", {f32(65519)}), 0x7bffu); // below the tie to 65536
    EXPECT_EQ(value("cvt.rn.f16.f32", {f32(65520)}), 0x7c00u); // the tie: to infinity
    EXPECT_EQ(value("cvt.rn.f16.f32", {f32(0x1p-25f)}), 0u);   // half of the smallest: to even
    EXPECT_EQ(value("cvt.rn.f16.f32", {f32(0x1.8p-25f)}), 1u);
    EXPECT_EQ(value("cvt.rn.f16.f32", {f32(0x1.ffcp-15f)}), 0x3ffu + 1); // up to the smallest normal number
    EXPECT_EQ(value("cvt.rn.bf16.f32", {f32(1 + 0x1p-8f)}), 0x3f80u);
    EXPECT_EQ(value("cvt.rn.bf16.f32", {f32(1 + 0x1.8p-7f)}), 0x3f82u);
    EXPECT_EQ(value("cvt.rn.satfinite.e4m3.f32", {f32(1000)}), 0x7eu);
    EXPECT_EQ(value("cvt.rn.satfinite.e4m3.f32", {0x7fc00000}), 0x7fu);
    EXPECT_EQ(value("cvt.rn.satfinite.e5m2.f32", {f32(-1e9f)}), 0xfbu);
    EXPECT_EQ(value("cvt.rn.f16.e4m3", {0x01}), 0x1800u); // 2^-9
    EXPECT_EQ(value("cvt.rna.tf32.f32", {0x3f801000}), 0x3f802000u);
    EXPECT_EQ(value("fma.rn.f16", {0x3c00, 0x3c00, 0x0001}), 0x3c00u);
    EXPECT_FALSE(static_cast<bool>(function_of("no.such.function")));
}
