// The oracle on published results and on what concerns whole units: chains of blocks, interleaving, c at the end, NaN.
// Every expected value is worked out by hand in a comment beside it.
#include "models/trees.hpp"

#include <gtest/gtest.h>

namespace discern::tests {
namespace {

using enum FormatId;
using enum Rounding;

// Xie et al., Table 8: products −2^23, −0.5, −0.25, −0.125 and c = 2^23. The largest exponent is 23, so the last bit
// kept by an alignment to F fractional bits is worth 2^(23−F).
double divergence(const Unit& unit) {
    const std::uint64_t d = exact(unit, {-0x1p13, -0.5, -0.25, -0.125}, {0x1p10, 1, 1, 1}, 0x1p23);
    const Decoded number = decode(format(unit.d), d);
    const double magnitude =
        std::ldexp(static_cast<double>(number.significand), number.exponent - format(unit.d).mantissa_bits);
    return number.negative ? -magnitude : magnitude;
}

TEST(Oracle, DivergenceTableTruncatedFusedSums) {
    // F = 23: the last bit is 1, every small product is truncated to zero.
    EXPECT_EQ(divergence(unit_of(f16, f32, f32, 4, t_fdpa(23, rho(f32, rz)))), 0);
    // F = 24: the last bit is 0.5, only −0.5 stays.
    EXPECT_EQ(divergence(unit_of(f16, f32, f32, 8, t_fdpa(24, rho(f32, rz)))), -0.5);
    EXPECT_EQ(divergence(unit_of(bf16, f32, f32, 8, t_fdpa(24, rho(f32, rz)))), -0.5);
    EXPECT_EQ(divergence(unit_of(tf32, f32, f32, 4, t_fdpa(24, rho(f32, rz)))), -0.5);
    // F = 25: −0.5 − 0.25.
    EXPECT_EQ(divergence(unit_of(f16, f32, f32, 16, t_fdpa(25, rho(f32, rz), -133))), -0.75);
    EXPECT_EQ(divergence(unit_of(e5m2, f32, f32, 32, t_fdpa(25, rho(f32, rz)))), -0.75);
    // F = 13: the last bit is 2^10.
    EXPECT_EQ(divergence(unit_of(e5m2, f32, f32, 32, t_fdpa(13, rho(e8m13, rz)))), 0);
}

TEST(Oracle, DivergenceTableExactSums) {
    EXPECT_EQ(divergence(unit_of(f16, f32, f32, 4, e_fdpa(ieee(f32)))), -0.875);
    // L = 2: 2^23 − 2^23 − 0.5 is exact, and so is −0.5 − 0.25 − 0.125.
    Unit pairs = unit_of(bf16, f32, f32, 4, e_fdpa(ieee(f32)));
    pairs.L = 2;
    EXPECT_EQ(divergence(pairs), -0.875);
    // A chain of fused multiply-adds: 0, −0.5, −0.75, −0.875.
    Unit chain = unit_of(f32, f32, f32, 4, e_fdpa(ieee(f32)));
    chain.L = 1;
    EXPECT_EQ(divergence(chain), -0.875);
    chain = unit_of(f64, f64, f64, 4, e_fdpa(ieee(f64)));
    chain.L = 1;
    EXPECT_EQ(divergence(chain), -0.875);
}

TEST(Oracle, DivergenceTableMatrixCores) {
    // P = 2: −2^23 − 0.5 is a tie in f32 and goes to the even −2^23; c cancels it; then −0.25 − 0.125 is added.
    Unit unit = unit_of(bf16, f32, f32, 4, ftz_add_mul(2));
    unit.L = 2;
    EXPECT_EQ(divergence(unit), -0.375);
    // P = 4: (−2^23 − 0.5) + (−0.25 − 0.125) = −2^23 − 0.375, which is −2^23 in f32; c cancels it.
    EXPECT_EQ(divergence(unit_of(f16, f32, f32, 4, ftz_add_mul(4))), 0);
    // TR, F = 24: the products give −2^23 − 0.5; c cancels the first part.
    EXPECT_EQ(divergence(unit_of(f16, f32, f32, 8, tr_fdpa(24, 31))), -0.5);
    // GTR: the even products give −2^23 (−0.25 is truncated); the odd ones −0.625 at their own exponent −1. Rounded
    // down to multiples of 0.5 the latter is −1.
    EXPECT_EQ(divergence(unit_of(e5m2fnuz, f32, f32, 16, gtr_fdpa(24, 31))), -1);
}

// Sixteen bf16 products for which an H100 gave 0000000b (c = 0). Their exponents are at most −146 and their exact sum
// is 10.9989 · 2^-149. With a floor of −133 under the largest exponent every term is truncated to a multiple of 2^-158,
// and the sum is 11.0 · 2^-149; with −126, −130, −132, −134 or none it is 10.25 to 10.999.
TEST(Oracle, MeasuredFloorOfHopper) {
    const std::vector<std::uint64_t> a = {0x9b94, 0x19f3, 0x9a2e, 0x1a67, 0x9a25, 0x9b4e, 0x9b29, 0x9a33,
                                          0x99e0, 0x1a14, 0x9914, 0x99d1, 0x9ae9, 0x1b1a, 0x9a9c, 0x1b3a};
    const std::vector<std::uint64_t> b = {0x9aaf, 0x99f3, 0x9acc, 0x1b7c, 0x19ed, 0x1b25, 0x9a1b, 0x9a20,
                                          0x9af7, 0x9a48, 0x1ae1, 0x1b32, 0x1b12, 0x1b0e, 0x9a68, 0x1735};
    const auto d = [&](std::optional<int> floor) {
        return evaluate_exactly(unit_of(bf16, f32, f32, 16, t_fdpa(25, rho(f32, rz), floor)), {a, b, {}, {}, 0});
    };
    EXPECT_EQ(d(-133), 0x0000000bu);
    for (const std::optional<int> other : {std::optional<int>{}, {-126}, {-130}, {-132}, {-134}})
        EXPECT_EQ(d(other), 0x0000000au) << other.value_or(0);
}

TEST(Oracle, BlocksAreChainedThroughRoundedResults) {
    // L = 2, round to f16: 2048 + 1 is a tie that goes to 2048 in each block, so the two ones are lost one by one; a
    // single block of four adds them to 2050.
    Unit unit = unit_of(f16, f16, f16, 4, e_fdpa(ieee(f16)));
    EXPECT_EQ(exact(unit, {1, 0, 1, 0}, {1, 1, 1, 1}, 2048), pattern(f16, 2050));
    unit.L = 2;
    EXPECT_EQ(exact(unit, {1, 0, 1, 0}, {1, 1, 1, 1}, 2048), pattern(f16, 2048));
    EXPECT_EQ(exact(unit, {1, 1, 0, 0}, {1, 1, 1, 1}, 2048), pattern(f16, 2050));
}

TEST(Oracle, InterleavedBlocksTakeRunsOfElements) {
    // Runs of 2: elements 0, 1, 4, 5 go to the first block. Each block rounds to f16, where ones are lost at 2048
    // unless two of them meet in the same block: only those of block one do when they are elements 1 and 4.
    Unit unit = unit_of(f16, f16, f16, 8, e_fdpa(ieee(f16)));
    unit.L = 4;
    unit.interleave = 2;
    EXPECT_EQ(exact(unit, {0, 1, 0, 0, 1, 0, 0, 0}, std::vector<double>(8, 1), 2048), pattern(f16, 2050));
    EXPECT_EQ(exact(unit, {0, 1, 1, 0, 0, 0, 0, 0}, std::vector<double>(8, 1), 2048), pattern(f16, 2048));
    unit.interleave = 0;
    EXPECT_EQ(exact(unit, {0, 1, 1, 0, 0, 0, 0, 0}, std::vector<double>(8, 1), 2048), pattern(f16, 2050));
}

TEST(Oracle, AccumulatorAddedLast) {
    // The product 2^-12 is lost beside c = 2^12 if both are in a sum that is truncated to F = 12 bits. At the end,
    // 2^12 + 2^-12 + 2^-13 needs 26 bits: nearest in f32 (last bit 2^-11) is 2^12 for 2^-12 alone (a tie to even)
    // and 2^12 + 2^-11 for both.
    Unit unit = unit_of(f16, f32, f32, 2, t_fdpa(12, rho(f32, rz)));
    EXPECT_EQ(exact(unit, {0x1p-12, 0x1p-13}, {1, 1}, 0x1p12), pattern(f32, 0x1p12));
    unit.place = AccumulatorPlace::last;
    EXPECT_EQ(exact(unit, {0x1p-12, 0}, {1, 1}, 0x1p12), pattern(f32, 0x1p12));
    EXPECT_EQ(exact(unit, {0x1p-12, 0x1p-13}, {1, 1}, 0x1p12), pattern(f32, 0x1p12 + 0x1p-11));
    // It is an IEEE addition: +0 from the blocks and c = −0 give +0; it overflows to infinity; infinities may meet.
    EXPECT_EQ(exact(unit, {}, {}, -0.0), 0u);
    EXPECT_EQ(exact(unit, {infinite}, {1}, -infinite), 0x7fc00000u);
    // 65504 + 8 is nearer to 65504 = 7bff; 65504 + 16 is the tie before 65536 and overflows.
    unit.c = unit.d = f16;
    unit.tree = t_fdpa(25, rho(f16, rne));
    EXPECT_EQ(exact(unit, {65504}, {1}, 8), 0x7bffu);
    EXPECT_EQ(exact(unit, {65504}, {1}, 16), 0x7c00u);
}

TEST(Oracle, FirstBlockReadsTheFormatOfC) {
    // c in f16, d in f32: block one reads c = 1.5 as f16, block two reads d as f32 (2049.5 would not fit f16).
    Unit unit = unit_of(f16, f16, f32, 2, t_fdpa(23, rho(f32, rz)));
    unit.L = 1;
    EXPECT_EQ(exact(unit, {2048, 1}, {1, 1}, 1.5), pattern(f32, 2050.5));
    unit.place = AccumulatorPlace::last;
    EXPECT_EQ(exact(unit, {2048, 1}, {1, 1}, 1.5), pattern(f32, 2050.5));
}

TEST(Oracle, UnitsWithoutAccumulator) {
    // The x86 instruction dpps: (p0 + p1) + (p2 + p3), each step rounded to f32: (2^24 + 1) + (−2^24 + 1). Both sums
    // are ties or exact: 2^24 + 1 goes to 2^24, −2^24 + 1 is exact, together 1.
    const Round f = ieee(f32);
    const auto product = [&](int i) { return round_to(f, p(i, 0)); };
    Unit unit = unit_of(f32, f32, f32, 4, add(f, add(f, product(0), product(1)), add(f, product(2), product(3))));
    unit.c.reset();
    EXPECT_EQ(exact(unit, {0x1p24, 1, -0x1p24, 1}, {1, 1, 1, 1}), pattern(f32, 1));
}

TEST(Oracle, SizesOfInputsAreChecked) {
    const Unit unit = unit_of(f16, f32, f32, 4, t_fdpa(23, rho(f32, rz)));
    const std::vector<std::uint64_t> three(3), four(4);
    EXPECT_THROW(evaluate_exactly(unit, {three, four, {}, {}, 0}), std::logic_error);
    EXPECT_THROW(evaluate_exactly(unit, {four, four, four, {}, 0}), std::logic_error);
    EXPECT_EQ(evaluate_exactly(unit, {four, four, {}, {}, 0}), 0u);
}

// ------------------------------------------------------------------------------------------------ special values

TEST(Oracle, NanHasThePatternOfTheRule) {
    Unit unit = unit_of(f16, f32, f32, 2, t_fdpa(23, rho(f32, rz)));
    const auto invalid = [&] { return exact(unit, {infinite, 1}, {0, 1}, 1); }; // infinity times zero
    EXPECT_EQ(invalid(), 0x7fc00000u) << "any: the canonical quiet NaN of d";
    unit.nan = {NanRule::Kind::pattern, 0x7fffffff};
    EXPECT_EQ(invalid(), 0x7fffffffu);
    EXPECT_EQ(exact(unit, {infinite, -infinite}, {1, 1}), 0x7fffffffu) << "opposite infinities";
    EXPECT_EQ(exact(unit, {infinite, 1}, {1, 1}, -infinite), 0x7fffffffu) << "opposite infinities";
    EXPECT_EQ(exact(unit, {infinite, 1}, {-2, 1}, -infinite), pattern(f32, -infinite));
    EXPECT_EQ(exact(unit, {infinite, 1}, {2, 1}, 1), pattern(f32, infinite));
    unit.L = 1; // the NaN of the first block is the accumulator of the second
    EXPECT_EQ(invalid(), 0x7fffffffu);
}

// The NaN of x86 multiply-adds, as a chain of two: t = fma(a1, b1, c), d = fma(a0, b0, t).
std::uint64_t x86(std::vector<std::uint64_t> a, std::vector<std::uint64_t> b, std::uint64_t c_bits) {
    const auto fma = [](int element, Node addend) {
        return add({.format = f32, .mode = rne, .ftz = Flush::after, .child = {}},
                   p({.which = {element, 0}, .ftz = true}), std::move(addend));
    };
    Unit unit = unit_of(bf16, f32, f32, 2, fma(0, fma(1, c({.ftz = true}))));
    unit.nan.kind = NanRule::Kind::propagate;
    return evaluate_exactly(unit, {a, b, {}, {}, c_bits});
}

TEST(Oracle, PropagatedNan) {
    const std::uint64_t one = 0x3f80, zero = 0, inf = 0x7f80;
    // A signalling operand is quieted; sign and payload stay, left-aligned: bf16 ff81 becomes ffc10000.
    EXPECT_EQ(x86({one, 0xff81}, {one, one}, 0), 0xffc10000u);
    EXPECT_EQ(x86({one, one}, {one, 0x7fc3}, 0), 0x7fc30000u);
    EXPECT_EQ(x86({one, one}, {one, one}, 0x7f800001), 0x7fc00001u);
    // a before b before c, in each multiply-add; its result t is the addend of the second.
    EXPECT_EQ(x86({one, 0x7fc1}, {one, 0x7fc2}, 0x7fc40000), 0x7fc10000u);
    EXPECT_EQ(x86({one, one}, {one, 0x7fc2}, 0x7fc40000), 0x7fc20000u);
    EXPECT_EQ(x86({one, 0x7fc1}, {0x7fc5, one}, 0), 0x7fc50000u);
    // Invalid operations give ffc00000, but a NaN operand wins over infinity times zero.
    EXPECT_EQ(x86({one, inf}, {one, zero}, 0), 0xffc00000u);
    EXPECT_EQ(x86({one, inf}, {one, one}, 0xff800000), 0xffc00000u);
    EXPECT_EQ(x86({one, inf}, {one, zero}, 0x7fc40000), 0x7fc40000u);
    // An invalid operation of the first becomes an operand at the round between: it does not give way any more …
    EXPECT_EQ(x86({inf, inf}, {zero, zero}, 0), 0xffc00000u);
    // … and c's NaN passes through t.
    EXPECT_EQ(x86({inf, one}, {zero, one}, 0x7fc40000), 0x7fc40000u);
}

TEST(Oracle, PropagatedNanIsTruncatedToNarrowerFormats) {
    // Through an f16 round, the payload of an f32 NaN keeps its upper ten bits.
    Unit unit = unit_of(f32, f32, f32, 1, round_to(ieee(f32), fuse({exactly(round_to(ieee(f16), p()))})));
    unit.c.reset();
    unit.nan.kind = NanRule::Kind::propagate;
    const std::vector<std::uint64_t> a = {0xffaabcde}, b = {0x3f800000};
    // Mantissa 2abcde quieted is 6abcde = 110 1010 1011 1100 1101 1110; the upper ten bits are 110 1010 101.
    EXPECT_EQ(evaluate_exactly(unit, {a, b, {}, {}, 0}), 0xff800000u | 0b1101010101u << 13);
}

} // namespace
} // namespace discern::tests
