// The oracle's leaves: products, groups and the accumulator, each parameter on an example worked out by hand.
//
// Reference exponents show only through what alignment truncates, so many examples align to F = 0 … 5 fractional bits:
// with E the largest exponent, multiples of 2^(E−F) stay.
#include "models/trees.hpp"

#include "models/notation.hpp"

#include <gtest/gtest.h>

#include <array>

namespace discern::tests::leaf_test {
namespace {

using enum FormatId;
using enum Rounding;
using enum Normalisation;

/// Products alone, truncated to F bits at their largest exponent, and converted to f32 by truncation.
Unit products(FormatId ab, int F, Product product, int K = 2) {
    return unit_of(ab, f32, f32, K, round_to(rho(f32, rz), fuse({at(F, p(product)), at(F, c())})));
}

TEST(OracleProduct, NormalisationOfSignificandsFromTwo) {
    // 1.5 · 1.5 = 2.25 has exponent 0 as multiplied and 1 when shifted. F = 0, beside 1 · 1: multiples of 1 give 2 + 1,
    // multiples of 2 give 2 + 0.
    EXPECT_EQ(exact(products(f16, 0, {.normalisation = raw}), {1.5, 1}, {1.5, 1}), pattern(f32, 3));
    EXPECT_EQ(exact(products(f16, 0, {.normalisation = carry}), {1.5, 1}, {1.5, 1}), pattern(f32, 2));
    EXPECT_EQ(exact(products(f16, 0, {.normalisation = full}), {1.5, 1}, {1.5, 1}), pattern(f32, 2));
    // 1.25 · 1.5 = 1.875 is not shifted by any: 1 + 1.
    for (const Normalisation n : {raw, carry, full})
        EXPECT_EQ(exact(products(f16, 0, {.normalisation = n}), {1.25, 1}, {1.5, 1}), pattern(f32, 2));
}

TEST(OracleProduct, NormalisationOfSubnormals) {
    // 2^-24 is a subnormal f16 with exponent −14: times 2^10 the product 2^-14 has exponent −4. F = 0, beside 2^-6: as
    // multiplied, multiples of 2^-4 are left: none. Only `full` sees exponent −14, so that E is −6: 2^-6 stays.
    EXPECT_EQ(exact(products(f16, 0, {.normalisation = raw}), {0x1p-24, 0x1p-6}, {0x1p10, 1}), 0u);
    EXPECT_EQ(exact(products(f16, 0, {.normalisation = carry}), {0x1p-24, 0x1p-6}, {0x1p10, 1}), 0u);
    EXPECT_EQ(exact(products(f16, 0, {.normalisation = full}), {0x1p-24, 0x1p-6}, {0x1p10, 1}), pattern(f32, 0x1p-6));
}

TEST(OracleProduct, SignificandOfUe4m3ScalesCounts) {
    // Scales 1.5 and 1.5 (ue4m3 3c): 1.5 · 1.5 · 1.5 · 1.5 = 5.0625 at exponent 0; `carry` shifts by one bit only.
    // F = 0: raw 5, carry multiples of 2: 4, full (exponent 2) multiples of 4: 4. Beside 1.5² · 1 · 1 = 2.25 under the
    // same scales: raw 2, carry 2, full 0.
    const auto d = [](Normalisation n) {
        Unit unit = products(e4m3, 0, {.normalisation = n});
        unit.scale = {ue4m3, 2};
        return exact(unit, {1.5, 1}, {1.5, 1}, 0, {0x3c}, {0x3c});
    };
    EXPECT_EQ(d(raw), pattern(f32, 7));
    EXPECT_EQ(d(carry), pattern(f32, 6));
    EXPECT_EQ(d(full), pattern(f32, 4));
}

TEST(OracleProduct, ScalesOfEachBlock) {
    // e8m0 7f is 1, 80 is 2, 7e is 1/2: elements 0, 1 times 2 · 2; elements 2, 3 times 1/2 · 1.
    Unit unit = products(e4m3, 23, {}, 4);
    unit.scale = {e8m0, 2};
    EXPECT_EQ(exact(unit, {1, 3, 5, 7}, {1, 1, 1, 1}, 0, {0x80, 0x7e}, {0x80, 0x7f}), pattern(f32, 4 * 4 + 12 * 0.5));
    // Scales move reference exponents: 2^127 · 2^-127 moves nothing; a scale of NaN makes NaN, of an unused element
    // too.
    EXPECT_EQ(exact(unit, {1, 0, 0, 0}, {1, 0, 0, 0}, 0, {0xfe, 0x7f}, {0x00, 0x7f}), pattern(f32, 1));
    EXPECT_EQ(exact(unit, {1, 0, 0, 0}, {1, 0, 0, 0}, 0, {0x7f, 0xff}, {0x7f, 0x7f}), 0x7fc00000u);
    // The sign bit of ue4m3 is ignored: b8 is 1 like 38. 7f and ff are NaN.
    unit.scale = {ue4m3, 4};
    EXPECT_EQ(exact(unit, {1}, {1}, 0, {0xb8}, {0x38}), pattern(f32, 1));
    EXPECT_EQ(exact(unit, {1}, {1}, 0, {0xff}, {0x38}), 0x7fc00000u);
    // A subnormal scale, 01 = 2^-9, has exponent −6 like any subnormal: with F = 2, multiples of 2^-8 stay of 2^-9.
    EXPECT_EQ(exact(unit, {1}, {1}, 0, {0x01}, {0x38}), pattern(f32, 0x1p-9));
    unit.tree = round_to(rho(f32, rz), fuse({at(2, p()), at(2, c())}));
    EXPECT_EQ(exact(unit, {1}, {1}, 0, {0x01}, {0x38}), 0u);
}

TEST(OracleProduct, InfinityTimesZero) {
    Unit unit = products(e5m2, 23, {});
    EXPECT_EQ(exact(unit, {infinite}, {0}), 0x7fc00000u);
    EXPECT_EQ(exact(unit, {infinite}, {-0.5}), pattern(f32, -infinite));
    unit.scale = {ue4m3, 2}; // a zero scale counts, a finite one does not
    EXPECT_EQ(exact(unit, {infinite}, {1}, 0, {0x00}, {0x38}), 0x7fc00000u);
    EXPECT_EQ(exact(unit, {infinite}, {1}, 0, {0x38}, {0x38}), pattern(f32, infinite));
}

TEST(OracleProduct, OtherSpecialProducts) {
    // e5m2: 7c is infinity, 7e and fe are NaN, 3c is 1. With c = 1.
    const auto d = [](const char* attributes, std::uint64_t a, std::uint64_t b) {
        const Unit unit =
            parse_unit(std::string("e5m2*e5m2+f32->f32 K=1 : round[f32 rz](fuse[exact](p*") + attributes + ", c))");
        const std::uint64_t as[] = {a}, bs[] = {b};
        return evaluate_exactly(unit, {as, bs, {}, {}, 0x3f800000});
    };
    constexpr std::uint64_t one = 0x3f800000, inf = 0x7f800000, nan = 0x7fc00000;
    EXPECT_EQ(d("", 0x7c, 0x3c), inf);
    EXPECT_EQ(d("[infnan]", 0x7c, 0x3c), nan);
    EXPECT_EQ(d("", 0x7e, 0x3c), nan);
    EXPECT_EQ(d("[nanzero]", 0x7e, 0x3c), one);
    EXPECT_EQ(d("[nanzero]", 0x7e, 0x7c), nan); // zero times infinity
    EXPECT_EQ(d("[nanzero infzero]", 0x7e, 0x7c), inf);
    EXPECT_EQ(d("[nanzero infzero]", 0xfe, 0x7c), inf | 0x80000000);
    EXPECT_EQ(d("[infnan nanzero]", 0x7c, 0x3c), one);
    EXPECT_EQ(d("", 0x7c, 0), nan);
    EXPECT_EQ(d("[infzero]", 0x7c, 0), inf);
    EXPECT_EQ(d("[infzero]", 0x80, 0x7c), inf | 0x80000000);
    EXPECT_EQ(d("[infzero]", 0x7e, 0), nan);
    // The zero that a NaN is has the exponent of zeros, emin: −14 + 15 = 1 with F = 0 beside c = 1, or −14 + 14.
    const Unit unit = parse_unit("e5m2*e5m2+f32->f32 K=1 : round[f32 rz](fuse[F=0 zero=emin](p*[nanzero], c))");
    const std::array<std::uint64_t, 1> quiet = {0x7e}, large = {0x78}, smaller = {0x74};
    EXPECT_EQ(evaluate_exactly(unit, {quiet, large, {}, {}, one}), 0u);
    EXPECT_EQ(evaluate_exactly(unit, {quiet, smaller, {}, {}, one}), one);
}

TEST(OracleProduct, OperandsInAWiderFormat) {
    // Subnormal numbers of e4m3 are below 2^-6. 07 = 1.75 · 2^-7, 01 = 2^-9, 38 = 1, 40 = 2.
    const auto d = [](const std::string& rest, std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) {
        const Unit unit = parse_unit(rest);
        const std::uint64_t as[] = {a}, bs[] = {b};
        return evaluate_exactly(unit, {as, bs, {}, {}, c});
    };
    const auto product = [&](const char* attributes, std::uint64_t a, std::uint64_t b) {
        return d("e4m3*e4m3->f32 K=1 : round[f32 rz](fuse[F=1 rz](p*" + std::string(attributes) + "))", a, b);
    };
    // 1.75 · 2^-7 · 1 has the exponent −6 by its fields: 2^-7 is left of it. As f16 it is −7: 1.5 · 2^-7.
    EXPECT_EQ(product("", 0x07, 0x38), pattern(f32, 0x1p-7));
    EXPECT_EQ(product("[as=f16]", 0x07, 0x38), pattern(f32, 0x1.8p-7));
    EXPECT_EQ(product("[as=f16]", 0x38, 0x87), pattern(f32, -0x1.8p-7));
    EXPECT_EQ(product("[as=f16]", 0x01, 0x38), pattern(f32, 0x1p-9));
    EXPECT_EQ(product("[as=f16]", 0x07, 0x07), pattern(f32, 0x1.8p-13)); // 1.75² · 2^-14 = 12.25 · 2^-16, in 2^-15s
    // The same as `carry` reads it, whose exponent is one more where the product is 2 or more.
    EXPECT_EQ(product("[as=f16 carry]", 0x07, 0x07), pattern(f32, 0x1.8p-13));
    EXPECT_EQ(product("[as=f16 carry]", 0x07, 0x38), pattern(f32, 0x1.8p-7));
    EXPECT_EQ(product("[as=f16 ftz]", 0x07, 0x38), 0u);
    // A format whose least exponent is −2, between 0 and the last bit 2^-5 of e2m5: 01 = 2^-5 keeps −2, as e4m5 has −5.
    const auto narrow = [&](const char* as) {
        return d("e2m5f*e2m5f->f32 K=1 : round[f32 rz](fuse[F=3 rz](p*" + std::string(as) + "))", 0x01, 0x20);
    };
    EXPECT_EQ(narrow("") | narrow("[as=e3m5f]") << 32, std::uint64_t{pattern(f32, 0x1p-5)} << 32);
    // A zero has the least exponent of the wider format: beside c = 2^-10, −6 with F = 0, or −14.
    const auto zero = [&](const char* as) {
        return d("e4m3*e4m3+f32->f32 K=1 : round[f32 rz](fuse[F=0 zero=emin](p*" + std::string(as) + ", c))", 0, 0x38,
                 pattern(f32, 0x1p-10));
    };
    EXPECT_EQ(zero(""), 0u);
    EXPECT_EQ(zero("[as=f16]"), pattern(f32, 0x1p-10));
    // In a format of the same least exponent nothing changes: 01 of e5m2 is 2^-16, and 3c is 1.
    for (const char* as : {"", "[as=f16]"})
        EXPECT_EQ(d("e5m2*e5m2->f32 K=1 : round[f32 rz](fuse[F=1 rz](p*" + std::string(as) + "))", 1, 0x3c), 0u);
}

TEST(OracleProduct, Limit) {
    // 2^64 · 2^64 reaches 2^128, 1.5 · 2^63 · 2^64 does not; c = −2^127 keeps the sum finite unless a product
    // overflows.
    const Unit unit = products(bf16, 24, {.limit = 128});
    EXPECT_EQ(exact(unit, {0x1p64}, {0x1p64}, -0x1p127), pattern(f32, infinite));
    EXPECT_EQ(exact(unit, {-0x1p64}, {0x1p64}), pattern(f32, -infinite));
    EXPECT_EQ(exact(unit, {0x1.8p63}, {0x1p64}, -0x1p127), pattern(f32, 0x1p126));
    EXPECT_EQ(exact(products(bf16, 24, {}), {0x1p64}, {0x1p64}, -0x1p127), pattern(f32, 0x1p127));
    // 1.5 · 1.5 · 2^127 = 2.25 · 2^127 is beyond as a value although its exponent is 127.
    EXPECT_EQ(exact(unit, {0x1.8p63}, {0x1.8p64}, -0x1p127), pattern(f32, infinite));
}

TEST(OracleProduct, LimitYieldsToInfinitiesOfTheInputs) {
    const double huge = 0x1p100;
    const Unit yields = products(bf16, 24, {.limit = 128}, 4);
    const Unit counts = products(bf16, 24, {.limit = 128, .oinf_yields = false}, 4);
    EXPECT_EQ(exact(yields, {huge}, {huge}, -infinite), pattern(f32, -infinite));
    EXPECT_EQ(exact(counts, {huge}, {huge}, -infinite), 0x7fc00000u);
    // Among themselves opposite ones make NaN, unless there is an infinity from the inputs.
    EXPECT_EQ(exact(yields, {huge, -huge}, {huge, huge}, 1), 0x7fc00000u);
    EXPECT_EQ(exact(yields, {huge, -huge}, {huge, huge}, -infinite), pattern(f32, -infinite));
    EXPECT_EQ(exact(counts, {huge, -huge}, {huge, huge}, -infinite), 0x7fc00000u);
    // A NaN of the inputs stays.
    EXPECT_EQ(exact(yields, {huge, infinite}, {huge, 0}, -infinite), 0x7fc00000u);
}

TEST(OracleProduct, LimitYieldsFurtherUpButNotBeyondARound) {
    const double huge = 0x1p100;
    const Node inner = fuse({at(24, p({.limit = 128}))});
    const auto unit = [](Node sum) { return unit_of(bf16, f32, f32, 2, round_to(rho(f32, rne), std::move(sum))); };
    const Unit nested = unit(fuse({exactly(inner), exactly(c())}));
    EXPECT_EQ(exact(nested, {huge, -huge}, {huge, huge}, infinite), pattern(f32, infinite)) << "soft NaN";
    EXPECT_EQ(exact(nested, {huge, -huge}, {huge, huge}, 1), 0x7fc00000u);
    const Unit rounded = unit(fuse({exactly(round_to(rho(f32, rne), inner)), exactly(c())}));
    EXPECT_EQ(exact(rounded, {huge, 0}, {huge, 0}, -infinite), 0x7fc00000u);
    EXPECT_EQ(exact(rounded, {huge, -huge}, {huge, huge}, infinite), 0x7fc00000u);
}

TEST(OracleProduct, FlushOfOperands) {
    // The sign of the flushed product shows beside c = −0 in an IEEE sum: −0 only if both are −0.
    const auto unit = [](Product product) {
        return unit_of(f16, f32, f32, 1, round_to(ieee(f32), fuse({exactly(p(product)), exactly(c())})));
    };
    const double tiny = 0x1p-20; // subnormal in f16
    EXPECT_EQ(exact(unit({}), {tiny}, {1}), pattern(f32, tiny));
    EXPECT_EQ(exact(unit({.ftz = true}), {tiny}, {1}), 0u);
    EXPECT_EQ(exact(unit({.ftz = true}), {0x1p-14}, {1}), pattern(f32, 0x1p-14)) << "the smallest normal stays";
    EXPECT_EQ(exact(unit({.ftz = true}), {1}, {-tiny}, -0.0), 0x80000000u);
    EXPECT_EQ(exact(unit({.ftz = true, .fsign_keep = false}), {1}, {-tiny}, -0.0), 0u);
    EXPECT_EQ(exact(unit({.ftz = true, .fsign_keep = false}), {1}, {-0.0}, -0.0), 0x80000000u) << "not flushed";
    EXPECT_EQ(exact(unit({.ftz = true, .fsign_keep = false}), {-1}, {tiny}, -0.0), 0x80000000u) << "-1 times +0";
    EXPECT_EQ(exact(unit({.ftz = true}), {infinite}, {tiny}), 0x7fc00000u) << "infinity times a flushed operand";
}

TEST(OracleProduct, PaddingIsIgnored) {
    // The low 13 bits of a tf32 container do not count: 3f801fff is 1.
    const Unit unit = products(tf32, 23, {}, 1);
    const std::vector<std::uint64_t> a = {0x3f801fff}, b = {0x40001abc};
    EXPECT_EQ(evaluate_exactly(unit, {a, b, {}, {}, 0}), pattern(f32, 2));
    const std::vector<std::uint64_t> infinity_with_padding = {0x7f800001};
    EXPECT_EQ(evaluate_exactly(unit, {infinity_with_padding, b, {}, {}, 0}), pattern(f32, infinite));
}

TEST(OracleProduct, FnuzFormats) {
    // e4m3fnuz: 40 is 2^(8−8) = 1, 80 is NaN, ff is −1.875 · 2^7 = −240 and no NaN.
    const Unit unit = products(e4m3fnuz, 23, {}, 1);
    const auto d = [&](std::uint64_t a) {
        const std::vector<std::uint64_t> va = {a}, one = {0x40};
        return evaluate_exactly(unit, {va, one, {}, {}, 0});
    };
    EXPECT_EQ(d(0x40), pattern(f32, 1));
    EXPECT_EQ(d(0x80), 0x7fc00000u);
    EXPECT_EQ(d(0xff), pattern(f32, -240));
    EXPECT_EQ(d(0x01), pattern(f32, 0x1p-10));
}

TEST(OracleProduct, InuzFormats) {
    // e4m3inuz: 40 is 2^(8−8) = 1, 80 is NaN, 7f and ff are infinite, fe is −1.75 · 2^7 = −224.
    const Unit unit = products(format_from_name("e4m3inuz").value(), 23, {}, 1);
    const auto d = [&](std::uint64_t a, std::uint64_t b) {
        const std::vector<std::uint64_t> va = {a}, vb = {b};
        return evaluate_exactly(unit, {va, vb, {}, {}, 0});
    };
    EXPECT_EQ(d(0xfe, 0x40), pattern(f32, -224));
    EXPECT_EQ(d(0x80, 0x40), 0x7fc00000u);
    EXPECT_EQ(d(0x7f, 0x40), pattern(f32, infinite));
    EXPECT_EQ(d(0x7f, 0xff), pattern(f32, -infinite));
    EXPECT_EQ(d(0x7f, 0x00), 0x7fc00000u);
}

// -------------------------------------------------------------------------------------------------------- groups

TEST(OracleGroup, ExactWithTheExponentOfTheScales) {
    // 6 · 6 + 6 · 6 + 0.5 · 0.5 = 72.25. As products of exponent 4 truncated to F = 0 it would be 32 + 32 + 0; a group
    // without scales has exponent 0: 72. Two groups add up.
    Unit unit = unit_of(e2m1, f32, f32, 8, round_to(rho(f32, rz), fuse({at(0, g(4)), at(0, c())})));
    EXPECT_EQ(exact(unit, {6, 6, 0.5}, {6, 6, 0.5}), pattern(f32, 72));
    EXPECT_EQ(exact(unit, {6, 6, 0.5, 0, 1, 1, 1, 1}, {6, 6, 0.5, 0, 1, 1, 1, 1}), pattern(f32, 76));
    // Scales 2^3 and 2^1 (e8m0 82, 80): 72.25 · 16 = 1156 with exponent 4, so multiples of 16 are left: 1152.
    unit.scale = {e8m0, 8};
    EXPECT_EQ(exact(unit, {6, 6, 0.5}, {6, 6, 0.5}, 0, {0x82}, {0x80}), pattern(f32, 1152));
    // ue4m3 scales 1.75 · 2^3 = 14 (56) and 1: 72.25 · 14 = 1011.5, exponent 3: multiples of 8: 1008.
    unit.scale = {ue4m3, 8};
    EXPECT_EQ(exact(unit, {6, 6, 0.5}, {6, 6, 0.5}, 0, {0x56}, {0x38}), pattern(f32, 1008));
    // Two groups of four under scales of four each.
    unit.scale = {e8m0, 4};
    EXPECT_EQ(exact(unit, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, 0, {0x80, 0x7f}, {0x80, 0x7f}),
              pattern(f32, 4 * 4 + 4));
}

TEST(OracleGroup, ZeroGroupTakesPartWithTheExponentOfItsScales) {
    // A zero group under scales 2^10 has exponent 10; beside 6 · 6 = 36, F = 0 leaves multiples of 1024 then.
    const auto unit = [](ZeroExponent zero) {
        Unit u = unit_of(e2m1, f32, f32, 4, round_to(rho(f32, rz), fuse({at(0, g(2), rz, zero), at(0, c())})));
        u.scale = {e8m0, 2};
        return u;
    };
    EXPECT_EQ(exact(unit({}), {0, 0, 6, 0}, {1, 1, 6, 0}, 0, {0x89, 0x7f}, {0x7f, 0x7f}), pattern(f32, 36));
    EXPECT_EQ(exact(unit(own), {0, 0, 6, 0}, {1, 1, 6, 0}, 0, {0x89, 0x7f}, {0x7f, 0x7f}), 0u);
    EXPECT_EQ(exact(unit(own), {6, -6, 6, 0}, {1, 1, 6, 0}, 0, {0x89, 0x7f}, {0x7f, 0x7f}), 0u) << "cancelled";
    EXPECT_EQ(exact(unit(constant(5)), {0, 0, 6, 0}, {1, 1, 6, 0}, 0, {0x89, 0x7f}, {0x7f, 0x7f}), pattern(f32, 32));
}

TEST(OracleGroup, EmptyGroupHasAnExponentOfItsOwn) {
    // As above. The exponent of an empty group is given, or the group takes no part; one that cancels keeps its
    // scales'.
    const auto unit = [](ZeroExponent empty) {
        Unit u = unit_of(e2m1, f32, f32, 4,
                         round_to(rho(f32, rz), fuse({at(0, {Group{{0, 1}, 2, empty}}, rz, own), at(0, c())})));
        u.scale = {ue4m3, 2};
        return u;
    };
    const std::vector<double> one = {1, 1, 6, 0};
    // Scales 2^5 · 2^5 (60) and 1 · 1.
    const std::vector<std::uint64_t> large = {0x60, 0x38};
    EXPECT_EQ(exact(unit(own), {0, 0, 6, 0}, one, 0, large, large), 0u);
    EXPECT_EQ(exact(unit(constant(5)), {0, 0, 6, 0}, one, 0, large, large), pattern(f32, 32));
    EXPECT_EQ(exact(unit(constant(4)), {0, -0.0, 6, 0}, one, 0, large, large), pattern(f32, 32));
    EXPECT_EQ(exact(unit({}), {0, 0, 6, 0}, one, 0, large, large), pattern(f32, 36));
    EXPECT_EQ(exact(unit(constant(5)), {6, -6, 6, 0}, one, 0, large, large), 0u) << "cancelled";
    EXPECT_EQ(exact(unit({}), {6, -6, 6, 0}, one, 0, large, large), 0u) << "cancelled";
    // Empty since a scale is zero: 0 · 2^5 has the scales' exponent −6 + 5 = −1.
    const std::vector<std::uint64_t> zero = {0x00, 0x38};
    EXPECT_EQ(exact(unit(own), {6, 6, 6, 0}, one, 0, zero, large), pattern(f32, 36));
    EXPECT_EQ(exact(unit(constant(5)), {6, 6, 6, 0}, one, 0, zero, large), pattern(f32, 32));
    EXPECT_EQ(exact(unit(constant(5)), {6, -6, 6, 0}, one, 0, zero, large), pattern(f32, 32)) << "and cancelled";
}

TEST(OracleGroup, ZeroSignAndSpecialValues) {
    Unit unit = unit_of(e5m2, f32, f32, 2, round_to(ieee(f32), fuse({exactly(g(2)), exactly(c())})));
    EXPECT_EQ(exact(unit, {-0.0, -0.0}, {1, 1}, -0.0), 0x80000000u) << "all products -0";
    EXPECT_EQ(exact(unit, {-0.0, 0.0}, {1, 1}, -0.0), 0u) << "products of both signs";
    EXPECT_EQ(exact(unit, {1, -1}, {1, 1}, -0.0), 0u) << "cancelled";
    EXPECT_EQ(exact(unit, {infinite, -infinite}, {1, 1}), 0x7fc00000u);
    EXPECT_EQ(exact(unit, {infinite, 1}, {1, 1}), pattern(f32, infinite));
    unit.scale = {ue4m3, 2};
    EXPECT_EQ(exact(unit, {-1, -1}, {1, 1}, -0.0, {0x00}, {0x38}), 0u) << "zero by its scale only: mixed";
    EXPECT_EQ(exact(unit, {-0.0, -0.0}, {1, 1}, -0.0, {0x00}, {0x38}), 0x80000000u);
    EXPECT_EQ(exact(unit, {infinite, 1}, {1, 1}, 0, {0x00}, {0x38}), 0x7fc00000u) << "infinity times a zero scale";
    EXPECT_EQ(exact(unit, {1, 1}, {1, 1}, 0, {0x7f}, {0x38}), 0x7fc00000u);
}

// --------------------------------------------------------------------------------------------------- accumulator

TEST(OracleAccumulator, ExponentOfSubnormals) {
    // Product 2^-12 · 2^-12 = 2^-24 and c = 2^-24, a subnormal f16. F = 5. As f16, c has exponent −14 and multiples of
    // 2^-19 are left: none. As f32 it is normal, E = −24: 2^-23.
    const auto unit = [](Accumulator accumulator) {
        return unit_of(f16, f16, f32, 1, round_to(rho(f32, rz), fuse({at(5, p()), at(5, c(accumulator))})));
    };
    EXPECT_EQ(exact(unit({}), {0x1p-12}, {0x1p-12}, 0x1p-24), 0u);
    EXPECT_EQ(exact(unit({.as = f32}), {0x1p-12}, {0x1p-12}, 0x1p-24), pattern(f32, 0x1p-23));
    // A format with the same emin changes nothing: 2^-16 is subnormal in e5m2 and in f16.
    const auto from_e5m2 = [](Accumulator accumulator) {
        return unit_of(f16, e5m2, f32, 1, round_to(rho(f32, rz), fuse({at(0, p()), at(0, c(accumulator))})));
    };
    EXPECT_EQ(exact(from_e5m2({}), {0x1p-8}, {0x1p-7}, 0x1p-16), 0u);
    EXPECT_EQ(exact(from_e5m2({.as = f16}), {0x1p-8}, {0x1p-7}, 0x1p-16), 0u);
    EXPECT_EQ(exact(from_e5m2({.as = f32}), {0x1p-9}, {0x1p-7}, 0x1p-16), pattern(f32, 0x1p-15));
    // A zero c has the emin of the wider format: at −14 it truncates 2^-15, at −126 it does not.
    const auto zero_c = [](Accumulator accumulator) {
        return unit_of(f16, f16, f32, 1, round_to(rho(f32, rz), fuse({at(0, p()), at(0, c(accumulator), rz, own)})));
    };
    EXPECT_EQ(exact(zero_c({}), {0x1p-8}, {0x1p-7}), 0u);
    EXPECT_EQ(exact(zero_c({.as = f32}), {0x1p-8}, {0x1p-7}), pattern(f32, 0x1p-15));
}

TEST(OracleAccumulator, Flush) {
    const auto unit = [](Accumulator accumulator) { // the product −0 shows c's zero sign
        return unit_of(f16, f16, f32, 1, round_to(ieee(f32), fuse({exactly(p()), exactly(c(accumulator))})));
    };
    EXPECT_EQ(exact(unit({.ftz = true}), {-0.0}, {1}, 0x1p-24), 0u);
    EXPECT_EQ(exact(unit({.ftz = true}), {-0.0}, {1}, -0x1p-24), 0x80000000u);
    EXPECT_EQ(exact(unit({.ftz = true, .fsign_keep = false}), {-0.0}, {1}, -0x1p-24), 0u);
    EXPECT_EQ(exact(unit({.ftz = true, .fsign_keep = false}), {-0.0}, {1}, -0.0), 0x80000000u);
    EXPECT_EQ(exact(unit({.ftz = true}), {-0.0}, {1}, -0x1p-14), pattern(f32, -0x1p-14));
}

} // namespace
} // namespace discern::tests::leaf_test
