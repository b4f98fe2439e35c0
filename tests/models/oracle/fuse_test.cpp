// The oracle's sums: each parameter of a fuse on an example worked out by hand.
#include "models/trees.hpp"
#include "rounded_integers.hpp"

#include <gtest/gtest.h>

namespace discern::tests {
namespace {

using enum FormatId;
using enum Rounding;

TEST(OracleFuse, RoundingOfAlignedTerms) {
    // c = 16 makes E = 4; F = 4 leaves multiples of 1 of the product. Every child has its own mode and F: c
    // keeps 16.25.
    for (std::size_t m = 0; m < modes.size(); ++m)
        for (const RoundedTo& row : to_integers) {
            const Node tree = round_to(rho(f32, rz), fuse({at(4, p(), modes[m]), at(6, c())}));
            EXPECT_EQ(exact(unit_of(f16, f32, f32, 1, tree), {row.number}, {1}, 16.25),
                      pattern(f32, 16.25 + row.integer[m]))
                << name(modes[m]) << " " << row.number;
        }
}

TEST(OracleFuse, ExactChildrenKeepEverything) {
    const Node tree = round_to(ieee(f64), fuse({at(0, p(0, 0)), exactly(p(1, 0)), at(0, c())}));
    EXPECT_EQ(exact(unit_of(f16, f32, f64, 2, tree), {1.5, 0x1p-20}, {1, 1}, 0x1p10), pattern(f64, 0x1p10 + 0x1p-20));
}

TEST(OracleFuse, StickyBit) {
    // E = 4 and F = 4: the sum is in whole numbers, and whatever is truncated of a term, or drops one, is half a one
    // more.
    const auto d = [](double p0, double p1, double c, Rounding mode = rz) {
        Node sum = fuse({at(4, p(0, 0), mode), at(4, p(1, 0), mode), at(4, tests::c())});
        std::get<Fuse>(sum.kind).sticky = true;
        std::get<Fuse>(sum.kind).children[1].drop = 5;
        return exact(unit_of(f16, f32, f32, 2, round_to(rho(f32, rz), sum)), {p0, p1}, {1, 1}, c);
    };
    EXPECT_EQ(d(1, 0, 16), pattern(f32, 17));
    EXPECT_EQ(d(0.25, 0, 16), pattern(f32, 16.5));
    EXPECT_EQ(d(-0.25, 0, 16), pattern(f32, 16.5)); // whatever its sign
    EXPECT_EQ(d(0.25, 0, -16), pattern(f32, -16.5));
    EXPECT_EQ(d(1.75, 1.25, 16), pattern(f32, 18.5));   // one place for both
    EXPECT_EQ(d(0.75, 0, 16, rne), pattern(f32, 17.5)); // rounded up, and lost something
    EXPECT_EQ(d(0, -0x1p-2, 16), pattern(f32, 16.5));   // dropped
    EXPECT_EQ(d(16, 0.25, -16), pattern(f32, 0.5));     // a zero sum
    EXPECT_EQ(d(16, -0.25, -16), pattern(f32, 0.5));
}

TEST(OracleFuse, ZeroSumsThatArePlus) {
    // The sum of the products is truncated once more at 2^-1; the rounding shows the sign of every zero.
    const auto d = [](double p0, double p1, bool plus) {
        Node inner = fuse({at(4, p(0, 0)), at(4, p(1, 0))});
        std::get<Fuse>(inner.kind).plus = plus;
        Node outer = fuse({at(1, inner)});
        std::get<Fuse>(outer.kind).floor = 0;
        Unit unit = unit_of(f16, f32, f32, 2, round_to(ieee(f32), outer));
        unit.c.reset();
        return exact(unit, {p0, p1}, {1, 1}, 0);
    };
    EXPECT_EQ(d(-0.0, -0.0, false), pattern(f32, -0.0));
    EXPECT_EQ(d(-0.0, -0.0, true), pattern(f32, 0.0));
    EXPECT_EQ(d(-0.5, 0.5, true), pattern(f32, 0.0));
    EXPECT_EQ(d(-0.25, 0, true), pattern(f32, -0.0)); // not zero, and truncated to zero by another one
    EXPECT_EQ(d(-0.25, 0, false), pattern(f32, -0.0));
    EXPECT_EQ(d(-0.5, 0, true), pattern(f32, -0.5));
}

TEST(OracleFuse, SignFrameOfTheAccumulator) {
    // AMD RDNA3.5, V_DOT2_F32_F16 (ROCm/rocm-systems issue 12056): products that oppose the sign of S2 land one place
    // of the grid too far from zero, even where nothing is truncated. 1 + 3·8 + 8·4 = 57; −1 + 24 + 32 is 55 + 2·2^-19.
    const auto d = [](double p0, double p1, double c, SignFrame frame, Opposed opposed, int F = 24) {
        Node sum = fuse({at(F, p()), at(F, tests::c())});
        std::get<Fuse>(sum.kind).frame = frame;
        std::get<Fuse>(sum.kind).opposed = opposed;
        return exact(unit_of(f16, f32, f32, 2, round_to(ieee(f32), sum)), {p0, p1}, {8, 4}, c);
    };
    using enum SignFrame;
    using enum Opposed;
    EXPECT_EQ(d(3, 8, 1, SignFrame::c, all), 0x42640000u);
    EXPECT_EQ(d(3, 8, -1, SignFrame::c, all), 0x425c0001u); // 55.0000038
    EXPECT_EQ(d(3, 8, -1, none, all), 0x425c0000u);
    EXPECT_EQ(d(3, 8, -1, SignFrame::c, all, 23), 0x425c0002u); // 55.0000076
    EXPECT_EQ(d(3, 8, -1, SignFrame::c, all, 25), 0x425c0000u); // a tie
    // A product that is zero: +0 opposes −16, whose exponent gives places of 1 with F = 4.
    EXPECT_EQ(d(0, 0, -16, SignFrame::c, all, 4), pattern(f32, -14));
    EXPECT_EQ(d(0, 0, -16, SignFrame::c, nonzero, 4), pattern(f32, -16));
    EXPECT_EQ(d(-0.0, 0, -16, SignFrame::c, all, 4), pattern(f32, -15));
    // … and one that alignment makes zero: 2^-2 is below that place.
    EXPECT_EQ(d(0x1p-5, -0.0, -16, SignFrame::c, nonzero, 4), pattern(f32, -15));
    EXPECT_EQ(d(0x1p-5, -0.0, -16, SignFrame::c, kept, 4), pattern(f32, -16));
    EXPECT_EQ(d(-0x1p-5, -0.0, -16, SignFrame::c, all, 4), pattern(f32, -16)); // not opposed: truncated toward zero
    // c is zero: its own sign, or +, or no frame. 8 and 4·0.5, places of 1/2.
    EXPECT_EQ(d(1, 0.5, -0.0, SignFrame::c, all, 4), pattern(f32, 11));
    EXPECT_EQ(d(-1, 0.5, 0, SignFrame::c, all, 4), pattern(f32, -6.5));
    EXPECT_EQ(d(-1, 0.5, -0.0, c_or_plus, all, 4), pattern(f32, -6.5));
    EXPECT_EQ(d(-1, 0.5, -0.0, nonzero_c, all, 4), pattern(f32, -6));
    EXPECT_EQ(d(0, 0, -0.0, SignFrame::c, all), pattern(f32, 0.0)); // no exponent, no place; the sum of zeros
}

TEST(OracleFuse, StepsOfTheExponent) {
    // 16 makes E = 4; F = 4 keeps multiples of 1. In steps of 4 from phase 0 it stays 4, from phase 1 it is 5.
    const auto d = [](double p0, double c, std::optional<int> step, int phase) {
        Node sum = fuse({at(4, p()), at(4, tests::c())});
        std::get<Fuse>(sum.kind).step = step;
        std::get<Fuse>(sum.kind).phase = phase;
        return exact(unit_of(f16, f32, f32, 1, round_to(rho(f32, rz), sum)), {p0}, {1}, c);
    };
    EXPECT_EQ(d(3.75, 16, {}, 0), pattern(f32, 19));
    EXPECT_EQ(d(3.75, 16, 4, 0), pattern(f32, 19));
    EXPECT_EQ(d(3.75, 16, 4, 1), pattern(f32, 18));               // multiples of 2
    EXPECT_EQ(d(7.75, 16, 4, 3), pattern(f32, 16));               // E = 7: of 8
    EXPECT_EQ(d(7.75, 32, 4, 0), pattern(f32, 32));               // E = 8: of 16
    EXPECT_EQ(d(0x1.7p-8, 0x1p-7, 4, 0), pattern(f32, 0x1.8p-7)); // E = -4: of 2^-8; negative exponents go up too
}

TEST(OracleFuse, FloorOfTheLargestExponent) {
    // 1.75 with exponent 0, F = 1: alone it keeps 1.5; at a floor of 1 it keeps 1, at 2 nothing, at −1 still 1.5.
    const auto d = [](std::optional<int> floor) {
        return exact(unit_of(f16, f32, f32, 1, t_fdpa(1, rho(f32, rz), floor)), {1.75}, {1});
    };
    EXPECT_EQ(d({}), pattern(f32, 1.5));
    EXPECT_EQ(d(-1), pattern(f32, 1.5));
    EXPECT_EQ(d(1), pattern(f32, 1));
    EXPECT_EQ(d(2), 0u);
}

TEST(OracleFuse, ExponentOfZeroTerms) {
    // 0 · 2^15 has the exponents −14 + 15 = 1 of its fields; F = 0 beside 1.5: multiples of 2 leave nothing.
    const auto d = [](ZeroExponent zero, double a) {
        const Node tree = round_to(rho(f32, rz), fuse({at(0, p(), rz, zero), at(0, c())}));
        return exact(unit_of(f16, f32, f32, 2, tree), {0, 1.5}, {a, 1});
    };
    EXPECT_EQ(d({}, 0x1p15), pattern(f32, 1));
    EXPECT_EQ(d(own, 0x1p15), 0u);
    EXPECT_EQ(d(own, 0x1p14), pattern(f32, 1));
    EXPECT_EQ(d(constant(0), 0x1p15), pattern(f32, 1));
    EXPECT_EQ(d(constant(1), 0), 0u);
    // c = 0 has exponent −126 in f32: 2^-127 (a product of 2^-63 and 2^-64) is truncated to multiples of 2^-126 by it.
    const auto zero_c = [](ZeroExponent zero) {
        const Node tree = round_to(rho(f32, rz), fuse({at(0, p()), at(0, c(), rz, zero)}));
        return exact(unit_of(bf16, f32, f32, 1, tree), {0x1p-63}, {0x1p-64}, -0.0);
    };
    EXPECT_EQ(zero_c({}), pattern(f32, 0x1p-127));
    EXPECT_EQ(zero_c(own), 0u);
}

TEST(OracleFuse, ExponentOfNestedSums) {
    // 2^10 − 2^10 + nothing: a zero sum whose exponent is 10. With `emin` it takes part above: 1.5 is truncated at F =
    // 0.
    const auto d = [](ZeroExponent zero, std::optional<int> floor, double a) {
        const Node inner = fuse({at(0, p())}, floor);
        const Node tree = round_to(rho(f32, rz), fuse({at(0, inner, rz, zero), at(0, c())}));
        return exact(unit_of(f16, f32, f32, 2, tree), {a, -a}, {1, 1}, 1.5);
    };
    EXPECT_EQ(d(own, {}, 0x1p10), 0u);
    EXPECT_EQ(d({}, {}, 0x1p10), pattern(f32, 1));
    // All terms are zero and none takes part: the sum has no exponent of its own, so that `emin` means nothing …
    EXPECT_EQ(d(own, {}, 0), pattern(f32, 1));
    EXPECT_EQ(d(constant(1), {}, 0), 0u) << "a constant does";
    // … unless there is a floor.
    EXPECT_EQ(d(own, 1, 0), 0u);
    // A sum is not normalised: 3 − 2 = 1 keeps the exponent 1 of its largest term, which truncates 1.5 to 0.
    const Node tree = round_to(rho(f32, rz), fuse({at(0, fuse({at(5, p())})), at(0, c())}));
    EXPECT_EQ(exact(unit_of(f16, f32, f32, 2, tree), {3, -2}, {1, 1}, 1.5), 0u);
}

TEST(OracleFuse, RoundedChildrenHaveTheExponentOfTheirFormat) {
    // 3 − 2 = 1 normalised has exponent 0: c = 1.5 keeps 1.
    const auto unit = [](Round inner, ZeroExponent zero) {
        const Node sum = round_to(inner, fuse({exactly(p())}));
        return unit_of(bf16, f32, f32, 2, round_to(rho(f32, rz), fuse({at(0, sum, rz, zero), at(0, c())})));
    };
    EXPECT_EQ(exact(unit(ieee(f32), {}), {3, -2}, {1, 1}, 1.5), pattern(f32, 2));
    // A subnormal f16 result, 2^-20, has exponent −14, and so has a zero one: c = 1.5 · 2^-15 is truncated at −14.
    EXPECT_EQ(exact(unit(ieee(f16), {}), {0x1p-20}, {1}, 0x1.8p-15), 0u);
    EXPECT_EQ(exact(unit(ieee(f16), own), {}, {}, 0x1.8p-15), 0u);
    EXPECT_EQ(exact(unit(ieee(f16), own), {}, {}, 0x1.8p-14), pattern(f32, 0x1p-14));
    EXPECT_EQ(exact(unit(ieee(f16), {}), {}, {}, 0x1.8p-15), pattern(f32, 0x1p-15));
    // 1.875 is a tie between 1.75 and 2 in e5m2 and goes to 2, whose exponent 1 truncates c = 1.5 to 0.
    EXPECT_EQ(exact(unit(ieee(e5m2), {}), {1.875}, {1}, 1.5), pattern(f32, 2));
    // Saturated to 448 (e4m3) or 6 (e2m1), it has the exponents 8 and 2: multiples of 2^8 and 4 are left of both terms.
    EXPECT_EQ(exact(unit({.format = e4m3, .overflow = Overflow::largest, .child = {}}, {}), {1000}, {1}, 255),
              pattern(f32, 256));
    EXPECT_EQ(exact(unit(ieee(e2m1), {}), {infinite}, {1}, 3), pattern(f32, 4));
    EXPECT_EQ(exact(unit(ieee(e2m1), {}), {infinite}, {1}, 5), pattern(f32, 8));
}

TEST(OracleFuse, TermsFarBelowAreDropped) {
    // E = 10. Rounded down to multiples of 2^0, c = −2^-k gives −1 as long as it is not dropped: its exponent must be
    // at least 10 − 11 = −1. Dropped, it still took part in the maximum.
    const auto d = [](std::optional<int> drop, double c_value) {
        Child accumulator = at(10, c(), rd);
        accumulator.drop = drop;
        return exact(unit_of(f16, f32, f32, 1, round_to(rho(f32, rz), fuse({at(10, p()), accumulator}))), {0x1p10}, {1},
                     c_value);
    };
    EXPECT_EQ(d({}, -0x1p-30), pattern(f32, 1023));
    EXPECT_EQ(d(11, -0.5), pattern(f32, 1023));
    EXPECT_EQ(d(11, -0.25), pattern(f32, 1024));
    EXPECT_EQ(d(0, -0x1p10), 0u) << "at E itself it stays";
}

TEST(OracleFuse, AnExponentThatCountsLess) {
    // F = 4. What is kept of p = 2^-8: nothing beside c = 8, whose exponent 3 makes multiples of 2^-1 the last ones.
    const auto d = [](int less, double product, double c_value, std::optional<int> drop = {}, ZeroExponent zero = {}) {
        Child accumulator = at(4, c(), rz);
        accumulator.less = less;
        accumulator.drop = drop;
        accumulator.zero = zero;
        return exact(unit_of(f16, f32, f32, 1, round_to(rho(f32, rz), fuse({at(4, p()), accumulator}))), {product}, {1},
                     c_value);
    };
    EXPECT_EQ(d(0, 0x1p-2, 8), pattern(f32, 8));
    EXPECT_EQ(d(2, 0x1p-3, 8), pattern(f32, 8.125)) << "E is 1";
    EXPECT_EQ(d(2, 0x1p-4, 8), pattern(f32, 8));
    EXPECT_EQ(d(2, 4, 0x1.8p3), pattern(f32, 16)) << "E is the product's";
    EXPECT_EQ(d(2, 0x1p-3, 8 + 0x1p-3), pattern(f32, 8.25)) << "c is aligned as the product is";
    // E is 3. Whether c is dropped is decided by its own exponent, −1.
    EXPECT_EQ(d(2, 8, 0.5, 4), pattern(f32, 8.5));
    EXPECT_EQ(d(2, 8, 0.5, 3), pattern(f32, 8));
    // A zero takes part with its exponent less that, too.
    EXPECT_EQ(d(2, 0x1p-3, 0, {}, {ZeroExponent::Kind::constant, 4}), 0u);
    EXPECT_EQ(d(4, 0x1p-3, 0, {}, {ZeroExponent::Kind::constant, 4}), pattern(f32, 0.125));
    EXPECT_EQ(d(3, 0x1p-3, 0, {}, {ZeroExponent::Kind::constant, 4}), pattern(f32, 0.125));
}

TEST(OracleFuse, CarryBits) {
    // F = 0 at E = 0: a register of 1 + w + 2 bits. w = 0 holds −4 … 3, w = 1 holds −8 … 7.
    const auto d = [](std::optional<int> w, std::vector<double> a) {
        const std::vector<double> ones(8, 1);
        return exact(unit_of(f16, f32, f32, 8, round_to(rho(f32, rz), fuse({at(0, p()), at(0, c())}, {}, w))), a, ones);
    };
    EXPECT_EQ(d(0, {1, 1, 1}), pattern(f32, 3));
    EXPECT_EQ(d(0, {1, 1, 1, 1}), pattern(f32, -4));
    EXPECT_EQ(d(0, {-1, -1, -1, -1}), pattern(f32, -4));
    EXPECT_EQ(d(0, {-1, -1, -1, -1, -1}), pattern(f32, 3));
    EXPECT_EQ(d(0, std::vector<double>(8, 1)), 0u);
    EXPECT_EQ(d(1, std::vector<double>(7, 1)), pattern(f32, 7));
    EXPECT_EQ(d(1, std::vector<double>(8, 1)), pattern(f32, -8));
    EXPECT_EQ(d(2, std::vector<double>(8, 1)), pattern(f32, 8));
    EXPECT_EQ(d({}, std::vector<double>(8, 1)), pattern(f32, 8));
    // The register's last bit follows the largest F: with F = 2 for c, quarters count, and 3.75 is the largest.
    const Node tree = round_to(rho(f32, rz), fuse({at(0, p()), at(2, c())}, 0, 0));
    EXPECT_EQ(exact(unit_of(f16, f32, f32, 4, tree), {1, 1, 1}, {1, 1, 1}, 0.75), pattern(f32, 3.75));
    EXPECT_EQ(exact(unit_of(f16, f32, f32, 4, tree), {1, 1, 1, 1}, {1, 1, 1, 1}, 0.75), pattern(f32, -3.25));
    const Node reversed = round_to(rho(f32, rz), fuse({at(2, c()), at(0, p())}, 0, 0));
    EXPECT_EQ(exact(unit_of(f16, f32, f32, 4, reversed), {1, 1, 1, 1}, {1, 1, 1, 1}, 0.75), pattern(f32, -3.25));
}

TEST(OracleFuse, SignOfZeroSums) {
    const auto unit = [](Rounding mode, std::optional<int> floor = {}) {
        return unit_of(f16, f32, f32, 2, round_to(ieee(f32, mode), fuse({at(0, p()), at(0, c())}, floor)));
    };
    const std::uint64_t minus_zero = 0x80000000;
    // Zeros of one sign keep it, zeros of both signs and cancelled sums are +0, and −0 when rounding down.
    EXPECT_EQ(exact(unit(rne), {-0.0, 0.0}, {1, -1}, -0.0), minus_zero);
    EXPECT_EQ(exact(unit(rd), {0.0, 0.0}, {1, 1}, 0.0), 0u);
    for (const Rounding mode : modes) {
        const std::uint64_t expected = mode == rd ? minus_zero : 0;
        EXPECT_EQ(exact(unit(mode), {-0.0, 0.0}, {1, 1}, -0.0), expected) << name(mode);
        EXPECT_EQ(exact(unit(mode), {1, -1}, {1, 1}, -0.0), expected) << name(mode);
    }
    // A term that alignment truncates to zero counts with the sign of its value: floor 0 leaves multiples of 1.
    EXPECT_EQ(exact(unit(rne, 0), {-0.5, -0.0}, {1, 1}, -0.0), minus_zero);
    EXPECT_EQ(exact(unit(rd, 0), {0.5, 0.0}, {1, 1}, 0.0), 0u);
    EXPECT_EQ(exact(unit(rne, 0), {0.5, -0.0}, {1, 1}, -0.0), 0u);
    // So does one that is dropped.
    Child accumulator = at(0, c());
    accumulator.drop = 3;
    const Node tree = round_to(ieee(f32), fuse({at(0, p()), accumulator}, 0));
    EXPECT_EQ(exact(unit_of(f16, f32, f32, 2, tree), {-0.0, -0.0}, {1, 1}, -0x1p-4), minus_zero);
    EXPECT_EQ(exact(unit_of(f16, f32, f32, 2, tree), {-0.0, -0.0}, {1, 1}, 0x1p-4), 0u);
    // A register that wraps to zero is a sum of values that are not zero: mixed, so −0 when rounding down.
    const Node wrapping = round_to(ieee(f32, rd), fuse({at(0, p()), at(0, c())}, {}, 0));
    const std::vector<double> eight(8, 1);
    EXPECT_EQ(exact(unit_of(f16, f32, f32, 8, wrapping), eight, eight), minus_zero);
    // Signs pass through inner sums: `mixed` below is `mixed` above.
    const Node nested = round_to(ieee(f32, rd), fuse({exactly(fuse({exactly(p())})), exactly(c())}));
    EXPECT_EQ(exact(unit_of(f16, f32, f32, 2, nested), {1, -1}, {1, 1}, 0.0), minus_zero);
    EXPECT_EQ(exact(unit_of(f16, f32, f32, 2, nested), {0, 0}, {1, 1}, 0.0), 0u);
}

} // namespace
} // namespace discern::tests
