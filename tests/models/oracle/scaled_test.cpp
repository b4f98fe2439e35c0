// Scales that multiply a rounded sum: examples by hand, and the integer evaluator beside the oracle.
#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"
#include "models/trees.hpp"

#include <gtest/gtest.h>

namespace discern::tests {
namespace {

using enum FormatId;

constexpr std::uint64_t one_e8m0 = 127, nan_e8m0 = 255;

TEST(OracleScaled, AfterARoundingAndNotBefore) {
    // 1 + 2^-11 is 1 in f16, rounded to even; times 1.5 it is 1.5 + 1.5·2^-11, which is 1.5 + 2^-10 in f16.
    const std::string shape = "f16*f16->f32 K=2 scale=ue4m3/2 : ";
    const Unit before = parse_unit(shape + "round[f32 rne](fuse[exact](round[f16 rne](fuse[exact](p*))))");
    const Unit after = parse_unit(shape + "round[f32 rne](fuse[exact](round[f16 rne](fuse[exact](p*)) @[scaled]))");
    const auto of = [](const Unit& unit) { return exact(unit, {1, 0x1p-11}, {1, 1}, 0, {0x3c}, {0x38}); };
    EXPECT_EQ(of(before), pattern(f32, 1.5 + 0x1p-10));
    EXPECT_EQ(of(after), pattern(f32, 1.5));
}

TEST(OracleScaled, TheExponentOfAScaledNumberIsThatOfItsFactorsTogether) {
    // 1·2^4 beside c = 1.75: E is 4, and F = 5 keeps multiples of 1/2 of c.
    const Unit unit = parse_unit("f16*f16+f32->f32 K=1 scale=e8m0/1 : round[f32 rz](fuse[F=5 rz]("
                                 "round[f32 rne](p*) @[F=5 scaled], c))");
    EXPECT_EQ(exact(unit, {1}, {1}, 1.75, {one_e8m0 + 2}, {one_e8m0 + 2}), pattern(f32, 17.5));
    EXPECT_EQ(exact(unit, {0}, {1}, 1.75, {one_e8m0 + 2}, {one_e8m0 + 2}), pattern(f32, 1.75)); // −126 + 4 is below 0
}

TEST(OracleScaled, ZerosInfinitiesAndNan) {
    const Unit unit = parse_unit("f16*f16->f32 K=1 scale=ue4m3/1 nan=7fc00000 : "
                                 "round[f32 rne](fuse[exact](round[f16 rne](p*) @[scaled]))");
    EXPECT_EQ(exact(unit, {-1}, {1}, 0, {0}, {0x38}), pattern(f32, -0.0)); // a zero scale
    EXPECT_EQ(exact(unit, {-0.0}, {1}, 0, {0x38}, {0x38}), pattern(f32, -0.0));
    EXPECT_EQ(exact(unit, {-infinite}, {1}, 0, {0x38}, {0x08}), pattern(f32, -infinite));
    EXPECT_EQ(exact(unit, {-infinite}, {1}, 0, {0x38}, {0}), 0x7fc00000u);
    EXPECT_EQ(exact(unit, {1}, {1}, 0, {0x7f}, {0x38}), 0x7fc00000u);
    // An overflow of the rounding is there before a small scale could help.
    EXPECT_EQ(exact(unit, {60000}, {2}, 0, {0x08}, {0x08}), pattern(f32, infinite));
}

TEST(OracleScaled, NanOfAnOperandIsCarriedAndThatOfAScaleIsNot) {
    const Unit unit = parse_unit("f16*f16->f32 K=1 scale=e8m0/1 nan=x86 : "
                                 "round[f32 rne](fuse[exact](round[f32 rne](p*) @[scaled]))");
    const auto d = [&](std::uint64_t a, std::uint64_t sa) {
        const std::vector<std::uint64_t> pa = {a}, pb = {0x3c00}, scale_a = {sa}, scale_b = {one_e8m0};
        const Inputs in{pa, pb, scale_a, scale_b, 0};
        EXPECT_EQ(evaluate_exactly(unit, in), Evaluator(unit)(in));
        return evaluate_exactly(unit, in);
    };
    EXPECT_EQ(d(0x7e01, one_e8m0), 0x7fc02000u);
    EXPECT_EQ(d(0x7e01, nan_e8m0), 0x7fc02000u);
    EXPECT_EQ(d(0x3c00, nan_e8m0), 0xffc00000u);
}

TEST(OracleScaled, EachSumHasItsOwnScales) {
    // Elements 0 and 1, and 2 and 3: (1 + 1)·2 + (1 + 1)·8, in each of two blocks.
    const Unit unit = parse_unit("f16*f16+f32->f32 K=8 L=4 scale=e8m0/2 : round[f32 rne](fuse[exact]("
                                 "round[f32 rne](fuse[exact](p0, p1)) @[scaled], c, "
                                 "round[f32 rne](fuse[exact](p2, p3)) @[scaled]))");
    const std::vector<std::uint64_t> scales = {one_e8m0 + 1, one_e8m0 + 3, one_e8m0, one_e8m0 + 4}, ones(4, one_e8m0),
                                     a(8, pattern(f16, 1));
    const Inputs in{a, a, scales, ones, pattern(f32, 0.5)};
    EXPECT_EQ(evaluate_exactly(unit, in), pattern(f32, 4 + 16 + 2 + 32 + 0.5));
    EXPECT_EQ(Evaluator(unit)(in), pattern(f32, 4 + 16 + 2 + 32 + 0.5));
}

constexpr const char* one_after_the_other =
    "f16*f16->f32 K=1 scale=e8m0/1 nan=7fc00000 : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact]("
    "round[f32 rne](p*) @[scaled=a])) @[scaled=b]))";
constexpr const char* the_other_first =
    "f16*f16->f32 K=1 scale=e8m0/1 nan=7fc00000 : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact]("
    "round[f32 rne](p*) @[scaled=b])) @[scaled=a]))";

TEST(OracleScaled, OneScaleThenARoundingThenTheOther) {
    const auto d = [](const char* text, std::uint64_t sa, std::uint64_t sb) {
        const Unit unit = parse_unit(text);
        const std::vector<std::uint64_t> a = {pattern(f16, 2)}, b = {pattern(f16, 1)}, scale_a = {sa}, scale_b = {sb};
        const Inputs in{a, b, scale_a, scale_b, 0};
        EXPECT_EQ(evaluate_exactly(unit, in), Evaluator(unit)(in));
        return evaluate_exactly(unit, in);
    };
    // 2·2^127 overflows f32, also if 2^-127 comes after it; 2·2^-127 is subnormal and exact, and times 2^127 is 2.
    EXPECT_EQ(d(one_after_the_other, 254, 0), pattern(f32, infinite));
    EXPECT_EQ(d(one_after_the_other, 0, 254), pattern(f32, 2));
    EXPECT_EQ(d(the_other_first, 254, 0), pattern(f32, 2));
    EXPECT_EQ(d(the_other_first, 0, 254), pattern(f32, infinite));
    EXPECT_EQ(d(one_after_the_other, nan_e8m0, one_e8m0), 0x7fc00000u);
    EXPECT_EQ(d(one_after_the_other, one_e8m0, nan_e8m0), 0x7fc00000u);
}

TEST(OracleScaled, OneScaleOfSeveralSumsThatShareIt) {
    // ((1 + 2)·2 + (3 + 4)·2)·4. With scales of a for two elements, the outer sum has two scales of b, and no one
    // scale.
    EXPECT_THROW(parse_unit("f16*f16->f32 K=4 scale=e8m0/2 : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact]("
                            "round[f32 rne](fuse[exact](p0, p1)) @[scaled=a], round[f32 rne](fuse[exact](p2, p3)) "
                            "@[scaled=a])) @[scaled=b]))"),
                 Error);
    const Unit unit =
        parse_unit("f16*f16->f32 K=4 scale=e8m0/4 : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact]("
                   "round[f32 rne](fuse[exact](p0, p1)) @[scaled=a], round[f32 rne](fuse[exact](p2, p3)) "
                   "@[scaled=a])) @[scaled=b]))");
    EXPECT_EQ(exact(unit, {1, 2, 3, 4}, {1, 1, 1, 1}, 0, {one_e8m0 + 1}, {one_e8m0 + 2}), pattern(f32, 80));
}

/// The evaluator is the oracle for all scales, of small operands.
TEST(OracleScaled, EvaluatorForAllScales) {
    for (const char* text :
         {"e2m1*e2m1->e4m3 K=1 scale=ue4m3/1 : round[e4m3 rne](fuse[exact](round[e3m2ieee rz](p*) @[scaled]))",
          "e2m1*e2m1+e2m1->e4m3 K=1 scale=ue4m3/1 : round[e4m3 rz](fuse[F=2 rz](round[e3m2ieee rd](p*) @[scaled "
          "zero=emin], c))",
          "e2m1*e2m1+e2m1->f16 K=1 scale=e8m0/1 nan=x86 : round[f16 rne](fuse[exact](round[e3m2ieee rne](p*) "
          "@[scaled], c))",
          "e2m1*e2m1+e2m1->f16 K=1 scale=ue4m3/1 : round[f16 rne](fuse[F=9 rz](round[e3m2ieee rne](g*[G=1]) @[scaled], "
          "c))",
          "fix3.1*e2m1+e2m1->f64 K=1 scale=ue5m3/1 : round[f64 rne](fuse[F=60 rz](round[fix6.2 rne](p*) @[scaled "
          "less=2], c))",
          "e2m1*e2m1+e2m1->e4m3 K=1 scale=ue4m3/1 : round[e4m3 rz](fuse[F=2 rz](round[e5m2 rd](fuse[exact]("
          "round[e3m2ieee rd](p*) @[scaled=a])) @[scaled=b zero=emin], c))",
          "e2m1*e2m1+e2m1->f16 K=1 scale=e8m0/1 nan=x86 : round[f16 rne](fuse[exact](round[f16 rne](fuse[F=5]("
          "round[e3m2ieee rne](p*) @[scaled=b])) @[scaled=a less=1], c))"}) {
        const Unit unit = parse_unit(text);
        const Evaluator evaluator(unit);
        std::uint64_t count = 0;
        for (std::uint64_t sa = 0; sa < 256; ++sa)
            for (std::uint64_t rest = 0; rest < 256; rest += 3) {
                const std::vector<std::uint64_t> a = {rest & format(unit.a).mask()}, b = {(rest * 7) % 16},
                                                 scale_a = {sa}, scale_b = {(rest * 37) % 256};
                const Inputs in{a, b, scale_a, scale_b, unit.c ? (rest >> 3) % 16 : 0};
                ASSERT_EQ(evaluator(in), evaluate_exactly(unit, in)) << text << " " << sa << " " << rest;
                ++count;
            }
        EXPECT_EQ(count, 256u * 86);
        for (const Family family : families) {
            InputGenerator generator(unit, family, 1);
            InputBuffer x;
            for (int i = 0; i < 300; ++i) {
                generator.next(x);
                ASSERT_EQ(evaluator(x.inputs()), evaluate_exactly(unit, x.inputs())) << text;
            }
        }
    }
}

/// With scales of 1 nothing is multiplied, and the override takes the word out of the tree.
TEST(OracleScaled, ScalesOfOne) {
    const Unit scaled = parse_unit("f16*f16+f32->f32 K=2 scale=e8m0/2 : round[f32 rne](fuse[exact]("
                                   "round[f16 rne](fuse[F=9 rz](p*)) @[scaled], c))");
    const Unit plain = with_overrides(scaled, "{scale=1}");
    EXPECT_EQ(to_string(plain), "f16*f16+f32->f32 K=2 L=2 nan=any : round[f32 rne](fuse[exact]("
                                "round[f16 rne](fuse[F=9 rz](p*)), c))");
    InputGenerator generator(scaled, Family::normal, 1);
    InputBuffer x;
    for (int i = 0; i < 300; ++i) {
        generator.next(x);
        x.sa = x.sb = {one_e8m0};
        const std::uint64_t with = evaluate_exactly(scaled, x.inputs());
        x.sa.clear();
        x.sb.clear();
        ASSERT_EQ(evaluate_exactly(plain, x.inputs()), with);
    }
}

} // namespace
} // namespace discern::tests
