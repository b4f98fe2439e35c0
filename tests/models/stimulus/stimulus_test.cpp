// Point 7 of a good first hour: inputs to order, within limits that hold for every element.
#include "models/stimulus/stimulus.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern {
namespace {

const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32";

TEST(Stimulus, WithoutLimitsAFamilyIsWhatItIs) {
    const Unit unit = resolve_unit(volta);
    for (const Family family : families) {
        InputGenerator generator(unit, family, 7);
        Stimulus stimulus(unit, std::vector<std::string>{std::string(name(family))}, {}, 7);
        InputBuffer one, other;
        for (int i = 0; i < 200; ++i) {
            generator.next(one);
            EXPECT_EQ(stimulus.next(other), name(family));
            EXPECT_EQ(one.a, other.a);
            EXPECT_EQ(one.b, other.b);
            EXPECT_EQ(one.c, other.c);
        }
    }
}

TEST(Stimulus, LimitsHoldForEveryElement) {
    for (const std::string& text :
         {volta, std::string("blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3"),
          std::string("ampere/mma.m16n8k8.f32.tf32.tf32.f32"), std::string("x86/vdpbf16ps"),
          std::string("fix8.6*fix12.4+fix16.6->fix32.12 K=4 : round[fix32.12 rne](fuse[exact](p*, c))")}) {
        const Unit unit = resolve_unit(text);
        const ValueLimits limits{
            .ranges = parse_value_ranges("a:-1..1,c:0.1..1e3"), .no_subnormals = true, .finite = true};
        const auto names = stimulus_family_names();
        const std::vector<std::string> all(names.begin(), names.end());
        Stimulus stimulus(unit, all, limits, 3);
        InputBuffer buffer;
        std::set<std::string_view> seen;
        std::set<std::uint64_t> values;
        for (int i = 0; i < 3000; ++i) {
            seen.insert(stimulus.next(buffer));
            const auto check = [&](FormatId id, std::uint64_t bits, double lo, double hi) {
                const Format& f = format(id);
                const Decoded x = decode(f, bits);
                ASSERT_EQ(x.number_class, NumberClass::finite);
                if (x.significand != 0 && f.has_subnormals()) {
                    EXPECT_NE(x.significand >> f.mantissa_bits, 0u) << "subnormal";
                }
                EXPECT_GE(to_double(f, bits), lo);
                EXPECT_LE(to_double(f, bits), hi);
            };
            for (const auto bits : buffer.a) check(unit.a, bits, -1, 1);
            for (const auto bits : buffer.b) check(unit.b, bits, -1e39, 1e39);
            check(*unit.c, buffer.c, 0.1, 1e3);
            values.insert(buffer.c);
        }
        EXPECT_EQ(seen.size(), 8u);
        EXPECT_GT(values.size(), 1000u) << "c is drawn from all of the range";
    }
}

/// Mean and mean square of all that a family draws of a, b and c.
std::pair<double, double> moments(const Unit& unit, const std::string& family, double least, double most) {
    Stimulus stimulus(unit, std::vector<std::string>{family}, {}, 1);
    InputBuffer buffer;
    double sum = 0, squares = 0, count = 0;
    const auto add = [&](FormatId id, std::uint64_t bits) {
        const double x = to_double(format(id), bits);
        EXPECT_GE(x, least);
        EXPECT_LE(x, most);
        sum += x;
        squares += x * x;
        ++count;
    };
    for (int i = 0; i < 20000; ++i) {
        stimulus.next(buffer);
        for (const auto bits : buffer.a) add(unit.a, bits);
        for (const auto bits : buffer.b) add(unit.b, bits);
        add(*unit.c, buffer.c);
        for (const auto bits : buffer.sa) EXPECT_EQ(bits, one(format(unit.scale->format)));
    }
    return {sum / count, squares / count};
}

// Xie et al., §3.1.4. The standard errors of the moments are below a hundredth.
TEST(Stimulus, DistributionsHaveTheirMoments) {
    const auto [mean, squares] = moments(resolve_unit(volta), "uniform", 0, 1);
    EXPECT_NEAR(mean, 0.5, 0.01);
    EXPECT_NEAR(squares, 1.0 / 3, 0.01);
    const auto [about_zero, variance] = moments(resolve_unit(volta), "outliers", -100, 100);
    EXPECT_NEAR(about_zero, 0, 0.02);
    EXPECT_NEAR(variance, 1 + 0.001 * 100, 0.02);
    moments(resolve_unit("blackwell/tcgen05.mma.m64n8k64.block16.f32.e2m1.e2m1.ue4m3"), "outliers", -100, 100);
    moments(resolve_unit("fix8.6*fix8.0+fix8.8->f32 K=4 : round[f32 rne](fuse[exact](p*, c))"), "outliers", -200, 200);
}

TEST(Stimulus, CornersAreAllThere) {
    const Unit unit = resolve_unit(volta);
    Stimulus stimulus(unit, std::vector<std::string>{"corners"}, {}, 1);
    std::set<std::uint64_t> seen;
    InputBuffer buffer;
    for (int i = 0; i < 2000; ++i) {
        stimulus.next(buffer);
        seen.insert(buffer.a.begin(), buffer.a.end());
    }
    for (const std::uint64_t bits :
         {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc00, 0x7bff, 0x7c00, 0xfc00, 0x7e00})
        EXPECT_TRUE(seen.contains(bits)) << std::hex << bits;
}

TEST(Stimulus, CornersAndEndsOfFixedPoint) {
    const Unit unit = resolve_unit("fix8.6*fix8.0+fix8.8->f32 K=4 : round[f32 rne](fuse[exact](p*, c))");
    Stimulus stimulus(unit, std::vector<std::string>{"corners"}, {}, 1);
    std::set<std::uint64_t> a, b;
    InputBuffer buffer;
    for (int i = 0; i < 2000; ++i) {
        stimulus.next(buffer);
        a.insert(buffer.a.begin(), buffer.a.end());
        b.insert(buffer.b.begin(), buffer.b.end());
    }
    for (const std::uint64_t bits : {0x00, 0x01, 0xff, 0x40, 0xc0, 0x7f, 0x80}) EXPECT_TRUE(a.contains(bits)) << bits;
    const ValueLimits limits{.ranges = parse_value_ranges("a:-2..-1.9,b:-127.5..-100"), .no_subnormals = true};
    Stimulus limited(unit, std::vector<std::string>{"uniform_bits"}, limits, 1);
    a.clear();
    b.clear();
    for (int i = 0; i < 2000; ++i) {
        limited.next(buffer);
        a.insert(buffer.a.begin(), buffer.a.end());
        b.insert(buffer.b.begin(), buffer.b.end());
    }
    EXPECT_EQ(a, (std::set<std::uint64_t>{0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86}));
    EXPECT_EQ(*b.begin(), 0x81u);
    EXPECT_EQ(*b.rbegin(), 0x9cu);
}

// e8m0 begins at 2^-127 and has no zero to which a smaller number could be moved.
TEST(Stimulus, EndsMayBeBelowTheSmallestScale) {
    const Unit unit = resolve_unit("e2m1*e2m1->f32 K=1 scale=e8m0/1 : round[f32 rne](fuse[exact](p*))");
    const auto scales = [&](const std::string& range) {
        const ValueLimits limits{.ranges = parse_value_ranges(range)};
        Stimulus limited(unit, std::vector<std::string>{"uniform_bits"}, limits, 1);
        std::set<std::uint64_t> all;
        InputBuffer buffer;
        for (int i = 0; i < 200; ++i) {
            limited.next(buffer);
            all.insert(buffer.sa.begin(), buffer.sa.end());
        }
        return all;
    };
    EXPECT_EQ(scales("sa:0x1p-128..0x1p-127"), std::set<std::uint64_t>{0});
    EXPECT_EQ(scales("sa:-1..0x1.8p-126"), (std::set<std::uint64_t>{0, 1}));
    EXPECT_EQ(scales("sa:0x1.8p126..inf"), (std::set<std::uint64_t>{0xfe}));
    EXPECT_THROW(scales("sa:0x1p-129..0x1p-128"), Error);
    EXPECT_THROW(scales("sa:nan..1"), Error);
}

TEST(Stimulus, WhatCannotBeIsSaid) {
    const Unit unit = resolve_unit(volta);
    const auto complaint = [&](const std::string& ranges, const std::string& family = "normal") -> std::string {
        try {
            const ValueLimits limits{.ranges = parse_value_ranges(ranges), .no_subnormals = true, .finite = false};
            const Stimulus stimulus(unit, std::vector<std::string>{family}, limits, 1);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    const auto none_left = [](const std::string& limits) {
        return "no input is left: no number of f16, the format of a, is within --values a:" + limits +
               "; wider limits are right";
    };
    EXPECT_EQ(complaint("a:1..-1"), none_left("1..-1"));
    EXPECT_EQ(complaint("a:1.0001..1.0002"), none_left("1.0001..1.0002"));
    EXPECT_EQ(complaint("a:1e-7..2e-7"), none_left("1e-7..2e-7 and --no-subnormals"));
    EXPECT_EQ(complaint("a:70000..80000"), none_left("70000..80000"));
    EXPECT_EQ(complaint("a:-1e9..1e9"), "");
    EXPECT_EQ(complaint("sa:0..1"), "--values: the unit has no operand sa");
    EXPECT_NE(complaint("x:0..1").find("there is no operand 'x'"), std::string::npos);
    EXPECT_NE(complaint("a:0").find("is no range"), std::string::npos);
    EXPECT_NE(complaint("a:0..x").find("'x' is no number"), std::string::npos);
    EXPECT_NE(complaint("a:0..1,a:0..2").find("there twice"), std::string::npos);
    EXPECT_NE(complaint("a:0..1", "norml").find("there is no family 'norml' (did you mean normal?)"),
              std::string::npos);
}

} // namespace
} // namespace discern
