// The error bounds of Xie et al., "Bit-Accurate Modeling of GPU Matrix Multiply-Accumulate Units", Table 9: confirmed,
// tightened or refuted. docs/errors.md has the table.
#include "ask.hpp"

#include "analysis/property/numbers.hpp"
#include "analysis/property/theorems.hpp"

#include "analysis/measure/exact_sum.hpp"
#include "models/catalogue.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace discern::property {
namespace {

/// One block of the unit, whose sum becomes an f64 instead of d: fused sums of up to 53 bits are that exactly.
Unit sum_of(Unit unit) {
    unit.K = unit.L;
    unit.interleave = 0;
    unit.d = FormatId::f64;
    unit.nan = {};
    auto& round = std::get<Round>(unit.tree.kind);
    round.format = FormatId::f64;
    round.mode = Rounding::rne;
    validate(unit);
    return unit;
}

struct Sums {
    explicit Sums(const Unit& of) : unit(sum_of(of)), evaluator(unit), exact(shape_of(unit)) {
        const auto& fuse = std::get<Fuse>(std::get<Round>(unit.tree.kind).get().kind);
        F = fuse.children.front().F.value();
        floor = fuse.floor.value_or(INT_MIN);
    }

    /// The error of the fused sum in units of 2^(e_max − F), e_max being the largest exponent of a term that is not
    /// zero.
    double error(const Inputs& inputs) {
        int e_max = floor;
        for (std::size_t k = 0; k < inputs.a.size(); ++k) {
            const Decoded x = decode(format(unit.a), inputs.a[k]), y = decode(format(unit.b), inputs.b[k]);
            if (!x.is_zero() && !y.is_zero()) e_max = std::max(e_max, x.exponent + y.exponent);
        }
        const Decoded c = decode(format(*unit.c), inputs.c);
        if (!c.is_zero()) e_max = std::max(e_max, c.exponent);
        const double sum = std::bit_cast<double>(evaluator(inputs));
        return std::fabs(sum - exact(inputs).to_odd()) * std::ldexp(1.0, F - e_max);
    }

    Unit unit;
    Evaluator evaluator;
    measure::ExactSums exact;
    int F = 0, floor = 0;
};

struct BoundCase {
    const char* unit;
    int terms;    ///< that can lose something at once: L of L + 1 where the largest one is always kept whole
    double shown; ///< the error of the vector below, in units of 2^(e_max − F)
};

class FusedSummation : public ::testing::TestWithParam<BoundCase> {};

/// The number ±significand · 2^(exponent − fraction bits).
std::uint64_t number(const Format& f, std::uint64_t significand, int exponent) {
    return pack(f, {.significand = significand, .exponent = exponent});
}

// Random vectors stay below `terms` units, and a vector comes near: the published L + 1 units are confirmed where c is
// truncated too; where the largest term is not, it can be L.
TEST_P(FusedSummation, IsBoundedAndTheBoundIsNear) {
    const auto& [name, terms, shown] = GetParam();
    Sums sums(resolve_unit(name));
    const Unit& unit = sums.unit;
    EXPECT_TRUE(terms == unit.L || terms == unit.L + 1);
    for (const Family family : {Family::normal, Family::cancelling, Family::floor_exponents}) {
        InputGenerator inputs(unit, family, 11);
        InputBuffer buffer;
        for (int i = 0; i < 3000; ++i) {
            inputs.next(buffer);
            bool finite = is_finite(format(*unit.c), buffer.c);
            for (std::size_t k = 0; k < buffer.a.size(); ++k)
                finite = finite && is_finite(format(unit.a), buffer.a[k]) && is_finite(format(unit.b), buffer.b[k]);
            if (!finite) continue;
            ASSERT_LT(sums.error(buffer.inputs()), terms) << to_string(unit);
        }
    }
    // The largest term is c = 64, with all of its ulps set where they are truncated; all products lie just below the
    // last bit that is kept.
    const Format &a = format(unit.a), &c = format(*unit.c);
    const bool c_is_cut = terms == unit.L + 1;
    std::uint64_t one = 0, other = 0;
    double most = 0;
    for (std::uint64_t x = a.mask() >> 1; x > 0; --x) { // the product that loses most
        if (!is_finite(a, x) || decode(a, x).significand >> a.mantissa_bits == 0 || decode(a, x).exponent != 0)
            continue;
        for (std::uint64_t y = x; y > x - std::min<std::uint64_t>(x, 64); --y) {
            if (!is_finite(a, y) || decode(a, y).exponent != 0) continue;
            const double product = to_double(a, x) * to_double(a, y);
            const double lost = product / std::exp2(std::floor(std::log2(product)) + 1); // as a part of an ulp
            if (lost > most) most = lost, one = x, other = y;
        }
        if (most > 0.998) break;
    }
    const double product = to_double(a, one) * to_double(a, other);
    const int top = 6, down = top - sums.F - 1 - static_cast<int>(std::floor(std::log2(product)));
    std::vector<std::uint64_t> left, right;
    for (int k = 0; k < unit.L; ++k) {
        const int half = down / 2;
        left.push_back(number(a, decode(a, one).significand, half));
        right.push_back(number(a, decode(a, other).significand, down - half));
    }
    const Inputs inputs{
        left, right, {}, {}, number(c, (1ull << 23) + (c_is_cut ? (1ull << (23 - sums.F)) - 1 : 0), top)};
    EXPECT_NEAR(sums.error(inputs), shown, 0.005 * terms) << to_string(unit);
}

INSTANTIATE_TEST_SUITE_P(Table9, FusedSummation,
                         ::testing::Values(BoundCase{"volta/mma.m8n8k4.f32.f16.f16.f32", 4, 4 * 0.999},
                                           BoundCase{"turing/mma.m16n8k8.f32.f16.f16.f32", 8, 8 * 0.999},
                                           BoundCase{"ampere/mma.m16n8k16.f32.f16.f16.f32", 8, 8 * 0.999},
                                           BoundCase{"hopper/wgmma.m64n8k16.f32.f16.f16", 16, 16 * 0.999},
                                           // c has 10 places more than F = 13
                                           BoundCase{"ada/mma.m16n8k32.f32.e4m3.e4m3.f32", 17, 16 * 0.984375 + 0.999},
                                           BoundCase{"hopper/wgmma.m64n8k32.f32.e4m3.e4m3", 33,
                                                     32 * 0.984375 + 0.999}));

// Rounded once: half an ulp, proved, of FMA and of one block of E-FDPA.
TEST(Table9, ExactSumsAreHalfAnUlpOff) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    for (const char* unit : {"x86/fma.f32", "cdna1/v_mfma_f32_32x32x4f16", "cdna1/v_mfma_f32_32x32x2bf16"}) {
        const Finding f = ask(resolve_unit(unit), "max-error", 2000);
        EXPECT_EQ(f.verdict, Verdict::proved) << unit;
        EXPECT_EQ(f.value, 0.5) << unit;
    }
}

// The input flush: the operand's error is below 2^-14, but the product's is that times the other operand, almost 4.
TEST(Table9, InputFlushIsNotBoundedByTheSmallestNormalNumber) {
    const Unit unit = resolve_unit("cdna2/v_mfma_f32_32x32x8f16");
    std::vector<std::uint64_t> a(8, 0), b(8, 0);
    a[0] = 0x03ff; // 2^-14 − 2^-24
    b[0] = 0x7bff; // 65504
    const Inputs inputs{a, b, {}, {}, 0};
    EXPECT_EQ(Evaluator(unit)(inputs), 0u);
    EXPECT_EQ(evaluate_exactly(unit, inputs), 0u);
    EXPECT_NEAR(to_double(format(FormatId::f16), a[0]) * to_double(format(FormatId::f16), b[0]), 3.994, 0.001);
}

/// A design of Table 10 and one without it. What a vector shows of the first is more than what is proved of the second.
struct RiskCase {
    const char *risky, *harmless;
    int places;  ///< how many more the second one's d has
    double more; ///< so many times at least
};

class Risks : public ::testing::TestWithParam<RiskCase> {};

TEST_P(Risks, ShowInUlpsOfTheLargestTerm) {
    const auto& [risky, harmless, places, more] = GetParam();
    const Finding one = ask(resolve_unit(risky), "error-of-terms", 6000),
                  other = ask(resolve_unit(harmless), "error-of-terms", 500);
    ASSERT_EQ(one.verdict, Verdict::proved);
    ASSERT_EQ(other.verdict, Verdict::proved);
    ASSERT_TRUE(one.limit && one.value && other.value);
    EXPECT_LE(*one.limit, *one.value);
    EXPECT_GT(std::ldexp(*one.limit, places), more * *other.value) << risky << " and " << harmless;
}

INSTANTIATE_TEST_SUITE_P(
    Table10, Risks,
    ::testing::Values(
        // Input flush: of two factors, one of which is almost the smallest normal number.
        RiskCase{"cdna2/v_mfma_f32_32x32x8f16", "cdna1/v_mfma_f32_32x32x8f16", 0, 1e5},
        // Small F, and rz to 13 fraction bits.
        RiskCase{"ada/mma.m16n8k16.f32.e4m3.e4m3.f32", "blackwell/tcgen05.mma.m128n8k32.f32.e4m3.e4m3", 0, 100},
        RiskCase{"hopper/wgmma.m64n8k32.f32.e4m3.e4m3", "blackwell/tcgen05.mma.m128n8k32.f32.e4m3.e4m3", 0, 100},
        // Results of f16.
        RiskCase{"hopper/wgmma.m64n8k16.f16.f16.f16", "hopper/wgmma.m64n8k16.f32.f16.f16", 13, 1000},
        RiskCase{"volta/mma.m8n8k4.f16.f16.f16.f16", "volta/mma.m8n8k4.f32.f16.f16.f32", 13, 1000}));

// Table 10's asymmetry: refuted for every CDNA3 unit of the table, proved for NVIDIA's.
TEST(Table10, OnlyCdna3TellsSignsApart) {
    for (const CatalogueEntry& entry : catalogue()) {
        const auto* const round = std::get_if<Round>(&entry.unit.tree.kind);
        if (round && (round->mode == Rounding::ru || round->mode == Rounding::rd)) continue; // f64 as it is asked for
        const bool is_nvidia = entry.architecture != "x86" && entry.architecture.find("cdna") == std::string::npos &&
                               entry.family.find("FDPA") != std::string::npos;
        if (entry.architecture == "cdna3" && entry.family.find("FDPA") != std::string::npos) {
            EXPECT_FALSE(is_symmetric_in_signs(entry.unit)) << entry.name;
        } else if (entry.architecture == "hopper" || entry.architecture == "volta" || entry.architecture == "ampere" ||
                   (is_nvidia && (entry.architecture == "ada" || entry.architecture == "blackwell"))) {
            EXPECT_TRUE(is_symmetric_in_signs(entry.unit)) << entry.name;
        }
    }
    for (const char* unit : {"cdna3/v_mfma_f32_32x32x8_f16", "cdna3/v_mfma_f32_16x16x16_bf16",
                             "cdna3/v_mfma_f32_16x16x8_xf32", "cdna3/v_mfma_f32_16x16x32_fp8_fp8"})
        EXPECT_EQ(ask(resolve_unit(unit), "negation", 20000, 60).verdict, Verdict::refuted) << unit;
}

} // namespace
} // namespace discern::property
