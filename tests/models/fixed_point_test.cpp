// Fixed point, whose numbers are integers over a power of two: what a pattern means, how results are rounded to it, and
// the evaluators against plain integer arithmetic and against each other.
#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/format.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"
#include "models/space.hpp"

#include "differential.hpp"
#include "print_unit.hpp"
#include "tests/encodings/written_units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

namespace discern::tests {
namespace {

const Format& named(std::string_view text) { return format(require_format(text, "a test")); }

std::int64_t extended(std::uint64_t bits, int width) {
    return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width);
}

TEST(FixedPoint, Names) {
    int count = 0;
    for (int width = 2; width <= 54; ++width)
        for (int fraction = 0; fraction <= width; ++fraction, ++count) {
            const Format& f = format(fixed_point(width, fraction).value());
            EXPECT_EQ(f.name, "fix" + std::to_string(width) + "." + std::to_string(fraction));
            EXPECT_EQ(format_from_name(f.name), f.id);
            EXPECT_EQ(f.width, width);
            EXPECT_EQ(f.lsb(), -fraction);
            EXPECT_EQ(f.emin(), f.emax()) << f.name << ": all exponents are one";
        }
    EXPECT_EQ(count, 1537);
    for (const char* text : {"fix1.0", "fix55.0", "fix8.9", "fix8", "fix8.", "fix.8", "fix8.06", "fix08.6", "fix8.6f",
                             "fix8.-1", "fx8.6", "fix8,6", "fix008.1", "fix100.1"})
        EXPECT_FALSE(format_from_name(text)) << text;
}

TEST(FixedPoint, PatternsAreIntegersInTwosComplement) {
    for (int width = 2; width <= 11; ++width)
        for (int fraction = 0; fraction <= width; ++fraction) {
            const Format& f = format(fixed_point(width, fraction).value());
            for (std::uint64_t bits = 0; bits <= f.mask(); ++bits) {
                const std::int64_t n = extended(bits, width);
                const Decoded x = decode(f, bits);
                ASSERT_EQ(to_double(f, bits), std::ldexp(static_cast<double>(n), -fraction)) << f.name << " " << bits;
                ASSERT_EQ(x.exponent, f.emin());
                ASSERT_EQ(pack(f, x), bits) << f.name;
                ASSERT_EQ(place_of(f, bits), n) << f.name;
                ASSERT_EQ(pattern_at_place(f, n), bits) << f.name;
                const std::int64_t most = static_cast<std::int64_t>(f.mask() >> 1);
                ASSERT_EQ(extended(negated(f, bits), width), std::min(-n, most)) << f.name << " " << bits;
            }
        }
    const Format& wide = named("fix54.3");
    EXPECT_EQ(to_double(wide, 0x20000000000000), -0x1p50);
    EXPECT_EQ(to_double(wide, 0x1fffffffffffff), (0x1p53 - 1) / 8);
    EXPECT_EQ(pack(wide, decode(wide, 0x20000000000000)), 0x20000000000000u);
}

/// One is one where there is one.
TEST(FixedPoint, OneAndWhatHasNone) {
    EXPECT_EQ(one(named("fix8.6")), 0x40u);
    EXPECT_EQ(one(named("fix32.0")), 1u);
    EXPECT_EQ(one(named("fix8.8")), 0x40u) << "a quarter: all numbers are below a half";
    EXPECT_EQ(one(named("fix2.1")), 1u) << "a half";
    EXPECT_EQ(one(named("fix2.0")), 1u);
    EXPECT_EQ(one(format(FormatId::f16)), 0x3c00u);
    EXPECT_EQ(one(format(FormatId::e8m0)), 0x7fu);
}

// ---------------------------------------------------------------------------------------------------------- rounding

/// What both evaluators give of one product of f32 numbers.
std::int64_t converted(const std::string& to, const std::string& mode, double value) {
    const Unit unit = parse_unit("f32*f32->" + to + " K=1 : round[" + to + " " + mode + "](p0)"); // times 1
    const Format& f32 = format(FormatId::f32);
    const auto bits = std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(value))};
    const std::vector<std::uint64_t> a = {bits}, b = {one(f32)};
    const Inputs inputs{.a = a, .b = b, .sa = {}, .sb = {}, .c = 0};
    const std::uint64_t d = evaluate_exactly(unit, inputs);
    EXPECT_EQ(Evaluator(unit)(inputs), d) << to << " " << mode << " " << value;
    return extended(d, named(to).width);
}

TEST(FixedPoint, RoundsToMultiplesOfTheLastBit) {
    const struct {
        const char* mode;
        int up, down; ///< of 2.5 and −2.5; of 3.25 it is 3 but for ru and odd
    } cases[] = {{"rne", 2, -2}, {"rna", 3, -3}, {"rz", 2, -2}, {"rd", 2, -3}, {"ru", 3, -2}, {"odd", 3, -3}};
    for (const auto& c : cases) {
        EXPECT_EQ(converted("fix8.0", c.mode, 2.5), c.up) << c.mode;
        EXPECT_EQ(converted("fix8.0", c.mode, -2.5), c.down) << c.mode;
        EXPECT_EQ(converted("fix8.4", c.mode, 2.5 / 16), c.up) << c.mode;
        EXPECT_EQ(converted("fix8.8", c.mode, -2.5 / 256), c.down) << c.mode;
    }
    EXPECT_EQ(converted("fix8.0", "ru", 1e-30), 1);
    EXPECT_EQ(converted("fix8.0", "rd", -1e-30), -1);
    EXPECT_EQ(converted("fix8.0", "odd", -1e-30), -1);
    EXPECT_EQ(converted("fix8.0", "rne", -0.5), 0) << "there is no minus zero";
}

TEST(FixedPoint, SaturatesWhateverOverflowSays) {
    for (const char* overflow : {"", " overflow=inf", " overflow=max"})
        for (const char* mode : {"rne", "rna", "rz", "rd", "ru", "odd"}) {
            const auto int8 = [&](double value) { return converted("fix8.0", mode + std::string(overflow), value); };
            EXPECT_EQ(int8(127), 127);
            EXPECT_EQ(int8(128), 127);
            EXPECT_EQ(int8(127.75), 127) << mode;
            EXPECT_EQ(int8(1e30), 127);
            EXPECT_EQ(int8(-128), -128);
            EXPECT_EQ(int8(-128.75), -128) << mode;
            EXPECT_EQ(int8(-129), -128);
            EXPECT_EQ(int8(-1e30), -128);
            EXPECT_EQ(int8(INFINITY), 127);
            EXPECT_EQ(int8(-INFINITY), -128);
            EXPECT_EQ(int8(NAN), 0);
            EXPECT_EQ(int8(-127.75),
                      (std::string(mode) == "rz" || std::string(mode) == "ru" || std::string(mode) == "odd") ? -127
                                                                                                             : -128)
                << mode;
        }
    EXPECT_EQ(converted("fix54.0", "rne", 0x1p60), 0x1fffffffffffff);
    EXPECT_EQ(converted("fix54.54", "rz", -0x1p-1), -0x20000000000000);
    EXPECT_EQ(converted("fix2.0", "rne", -3), -2);
}

/// An inner rounding turns NaN into a number, and infinities too.
TEST(FixedPoint, InsideOfATree) {
    const Unit unit = parse_unit("f32*f32->f32 K=2 : round[f32 rne](fuse[exact](round[fix8.2 rne](p0), p1))");
    const auto sum = [&](float first, float second) {
        const std::vector<std::uint64_t> a = {std::bit_cast<std::uint32_t>(first),
                                              std::bit_cast<std::uint32_t>(second)},
                                         b(2, one(format(FormatId::f32)));
        const Inputs inputs{.a = a, .b = b, .sa = {}, .sb = {}, .c = 0};
        const std::uint64_t d = evaluate_exactly(unit, inputs);
        EXPECT_EQ(Evaluator(unit)(inputs), d);
        return to_double(format(unit.d), d);
    };
    EXPECT_EQ(sum(NAN, 1), 1);
    EXPECT_EQ(sum(INFINITY, 1), 32.75);
    EXPECT_EQ(sum(-INFINITY, 1), -31);
    EXPECT_EQ(sum(0.375, 1), 1.5);
    EXPECT_EQ(sum(1, -INFINITY), -INFINITY);
}

// ------------------------------------------------------------------------------------------------------------- units

TEST(FixedPoint, DotProductsOfInt8AreThoseOfIntegers) {
    const Unit unit = parse_unit("fix8.0*fix8.0+fix32.0->fix32.0 K=4 : round[fix32.0 rz](fuse[exact](p*, c))");
    const Evaluator evaluate(unit);
    Random random(17);
    std::vector<std::uint64_t> a(4), b(4);
    int saturated = 0;
    for (int i = 0; i < 20'000; ++i) {
        // Ends of the range more often than others, and c near where the sum saturates.
        const auto draw = [&] { return random.one_in(4) ? 0x80 - random.bits() % 2 : random.bits() & 0xff; };
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            a[k] = draw();
            b[k] = draw();
            sum += extended(a[k], 8) * extended(b[k], 8);
        }
        std::uint64_t c = random.bits() & 0xffffffff;
        if (random.one_in(2)) c = (0x80000000u + random.bits() % 0x40000 - 0x20000) & 0xffffffff;
        sum += extended(c, 32);
        const std::int64_t want = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
        saturated += want == sum ? 0 : 1;
        const Inputs inputs{.a = a, .b = b, .sa = {}, .sb = {}, .c = c};
        ASSERT_EQ(extended(evaluate(inputs), 32), want);
        if (i % 8 == 0) {
            ASSERT_EQ(extended(evaluate_exactly(unit, inputs), 32), want);
        }
    }
    EXPECT_GT(saturated, 300);
}

/// MXINT8 with shared scales: exact, then truncated to f32.
TEST(FixedPoint, MxInt8) {
    const Unit unit = parse_unit("fix8.6*fix8.6+f32->f32 K=2 scale=e8m0/2 : round[f32 rz](fuse[exact](p*, c))");
    const std::vector<std::uint64_t> a = {0x80, 0x60}, b = {0x80, 0xe0}, sa = {0x80}, sb = {0x7e};
    const Inputs inputs{.a = a, .b = b, .sa = sa, .sb = sb, .c = 0x3f000000};
    const std::uint64_t d = evaluate_exactly(unit, inputs);
    EXPECT_EQ(to_double(format(FormatId::f32), d), 4 - 1.5 * 0.5 + 0.5); // (−2)², scales 2 and 1/2
    EXPECT_EQ(Evaluator(unit)(inputs), d);
}

/// All terms of one format have one exponent, so that alignment truncates them all at the same bit.
TEST(FixedPoint, ExponentsAreThoseOfTheFormat) {
    const Unit unit = parse_unit("fix8.0*fix8.0->f32 K=2 : round[f32 rz](fuse[F=8](p*))");
    const std::vector<std::uint64_t> a = {0x01, 0x11},
                                     b = {0x0f, 0x10}; // 15 + 272: E = 12, truncated to multiples of 16
    const Inputs inputs{.a = a, .b = b, .sa = {}, .sb = {}, .c = 0};
    EXPECT_EQ(to_double(format(FormatId::f32), evaluate_exactly(unit, inputs)), 272);
    EXPECT_EQ(to_double(format(FormatId::f32), Evaluator(unit)(inputs)), 272);
}

/// The units of a text with choices in braces, all of them.
std::vector<Unit> written(const std::string& text) {
    std::vector<Unit> units;
    for (const std::string& one : written_out(text)) units.push_back(parse_unit(one));
    return units;
}

TEST(FixedPoint, EvaluatorsAgreeOnAllInputs) {
    for (const char* text :
         {"e2m1*e2m1->{fix4.1|fix2.0|fix3.3} K=2 : round[{fix4.1|fix2.0|fix3.3} "
          "{rz|rd|ru|rne|rna|odd|ra|rnu|rnd|rnz|rno}]("
          "fuse[{exact|F=1 rd|F=0 carry=0}](p*))",
          "fix3.1*e2m1+fix4.2->fix4.2 K=1 : round[fix4.2 {rne|rd|odd}](fuse[{exact|F=1|F=2 sticky}]("
          "p*[{|carry|full|limit=1|limit=2:counts}], c))",
          "e2m1*fix2.0+fix3.0->fix3.1 K=2 L=1 {|c=last} : round[fix3.1 {rz|ru}](fuse[{exact|F=2 zero=emin}](p*, c))",
          "e2m1ieee*fix3.0+fix3.0->fix4.0 K=1 nan=any : round[fix4.0 {rne|ru} {|overflow=inf}](fuse[exact](p*, c))"})
        for (const Unit& unit : written(text)) {
            const InputBits inputs(unit);
            InputBuffer x;
            const Evaluator evaluate(unit);
            const std::uint64_t step = sweeping() ? 1 : (1ull << inputs.count()) / 300 | 1;
            for (std::uint64_t v = 0; v < (1ull << inputs.count()); v += step) {
                inputs.at(v, x);
                if (evaluate(x.inputs()) == evaluate_exactly(unit, x.inputs())) continue;
                ADD_FAILURE() << describe(unit, x, evaluate(x.inputs()), evaluate_exactly(unit, x.inputs()));
                break;
            }
        }
}

TEST(FixedPoint, EvaluatorsAgreeOnWideUnits) {
    for (const char* text :
         {"f16*f16+fix32.16->fix32.16 K=4 : round[fix32.16 {rne|rz|rd|odd}](fuse[{exact|F=24}](p*, c))",
          "f16*f16+fix32.16->fix32.16 K=8 L=2 : round[fix32.16 {rne|rz}](fuse[{exact|F=20 rz floor=2}](p*, c))",
          "bf16*bf16->fix48.20 K=4 L=1 : round[fix48.20 rne](fuse[exact](p*, c))",
          "fix32.31*fix32.31+fix54.40->fix54.40 K=2 : round[fix54.40 {rne|rd}](fuse[{exact|F=50}](p*[{|full}], c))",
          "fix54.54*fix54.0+f64->f64 K=2 L=1 c=last : round[f64 rne](fuse[exact](p*, c))",
          "fix8.6*e5m2+f32->fix16.4 K=4 L=2 : round[fix16.4 rna](fuse[F=12](p*[{|ftz}], c[{ftz|as=f64}]))",
          "fix8.0*fix8.0+fix32.0->fix32.0 K=32 scale=ue4m3/16 : round[fix32.0 rz](fuse[F=30](g*[G=16], c))"})
        for (const Unit& unit : written(text)) {
            const Evaluator evaluate(unit);
            for (const Family family : families) {
                const auto found = first_difference(
                    unit, [&](const Inputs& x) { return evaluate(x); },
                    [&](const Inputs& x) { return evaluate_exactly(unit, x); }, family, 5, sweep(60));
                ASSERT_FALSE(found) << *found;
            }
        }
}

// ---------------------------------------------------------------------------------------------------------- notation

std::string complaint(const std::string& text) {
    try {
        parse_unit(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(FixedPoint, InTheNotation) {
    const std::string line = "fix8.6*fix8.6+f32->fix32.16 K=2 L=2 nan=any : round[fix32.16 rne](fuse[exact](p*, c))";
    EXPECT_EQ(to_string(parse_unit(line)), line);
    EXPECT_EQ(to_string(parse_unit("f16*f16->fix8.0 K=1 : round[fix8.0 rz](p0) {round=fix8.0:rne}")),
              "f16*f16->fix8.0 K=1 L=1 nan=any : round[fix8.0 rne](p0)");
    const Space space = Space::parse("f16*f16->fix8.2 K=1 : round[fix8.2 rz](p0){round={fix8.2:rz|fix8.2:rne}}");
    EXPECT_EQ(space.choices().size(), 1u);
}

TEST(FixedPoint, WhatMeansNothingIsRefused) {
    EXPECT_NE(complaint("f16*f16->fix8.0 K=1 : round[fix8.0 rz ftz=result](p0)")
                  .find("round[ftz] flushes subnormal numbers, and fix8.0 is fixed point, which has none"),
              std::string::npos);
    EXPECT_NE(complaint("fix8.0*fix4.0->f32 K=1 : round[f32 rz](fuse[exact](p0[ftz]))").find("p[ftz]"),
              std::string::npos);
    EXPECT_EQ(complaint("fix8.0*f16->f32 K=1 : round[f32 rz](fuse[exact](p0[ftz]))"), "");
    EXPECT_NE(complaint("f16*f16+fix8.0->fix8.0 K=2 L=1 : round[fix8.0 rz](fuse[exact](p*, c[ftz]))").find("c[ftz]"),
              std::string::npos);
    EXPECT_NE(complaint("f16*f16->fix8.0 K=1 nan=00 : round[fix8.0 rz](p0)").find("fix8.0 has no NaN"),
              std::string::npos);
    EXPECT_NE(complaint("f16*f16->fix8.0 K=1 nan=x86 : round[fix8.0 rz](p0)").find("IEEE"), std::string::npos);
    EXPECT_NE(complaint("f16*f16+f16->f32 K=1 : round[f32 rz](fuse[exact](p*, c[as=fix54.27]))").find("as=fix54.27"),
              std::string::npos);
    EXPECT_NE(complaint("f16*f16->f32 K=1 scale=fix8.6/1 : round[f32 rz](p0)").find("scale format fix8.6"),
              std::string::npos);
    EXPECT_NE(complaint("fix54.0*fix54.0->f64 K=2 : round[f64 rz](fuse[exact](g*[G=2]))").find("too wide"),
              std::string::npos);
    EXPECT_NE(complaint("f16*f16->fix8.9 K=1 : round[f32 rz](p0)").find("fixW.F"), std::string::npos);
}

} // namespace
} // namespace discern::tests
