// The exact sum of one vector and d's distance from it, against sums in Boost's integers and examples by hand.
#include "analysis/explain/exactness.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/stimulus/stimulus.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace discern::explain {
namespace {

using Big = boost::multiprecision::cpp_int;

constexpr int below = -3000; ///< below every bit of a sum of products

/// A finite number in units of 2^(below / 2), so that products are in units of 2^below.
Big units(const Format& f, std::uint64_t bits, int of) {
    const Decoded x = decode(f, bits);
    const Big value = Big(x.significand) << (x.exponent - f.mantissa_bits - of);
    return x.negative ? Big(-value) : value;
}

TEST(Exactness, IsThatOfUnboundedIntegers) {
    for (const char* name : {"ampere/mma.m16n8k16.f32.f16.f16.f32", "hopper/wgmma.m64n8k32.f32.e4m3.e4m3",
                             "x86/fma.f32", "ampere/mma.m8n8k4.f64.f64.f64.f64", "volta/mma.m8n8k4.f16.f16.f16.f16"}) {
        const Unit unit = resolve_unit(name);
        const Shape shape = shape_of(unit);
        const Format &a = format(unit.a), &b = format(unit.b), &c = format(*unit.c), &d = format(unit.d);
        const Evaluator evaluate(unit);
        Stimulus stimulus(unit, std::vector<std::string>{}, {}, 5);
        InputBuffer buffer;
        int finite = 0;
        for (int i = 0; i < 300; ++i) {
            stimulus.next(buffer);
            const Inputs inputs = buffer.inputs();
            const std::uint64_t result = evaluate(inputs);
            const Exactness one = exactness(shape, inputs, result);
            if (!one.ulp) continue;
            ++finite;
            Big sum = units(c, inputs.c, below);
            for (std::size_t k = 0; k < inputs.a.size(); ++k)
                sum += units(a, inputs.a[k], below / 2) * units(b, inputs.b[k], below / 2);
            const Big difference = units(d, result, below) - sum;
            const int top = sum == 0 ? d.emin() : std::max(d.emin(), static_cast<int>(msb(abs(sum))) + below);
            // In ulp as a fraction with 2^40 below the point.
            const int shift = top - d.mantissa_bits - 40 - below;
            const Big scaled = shift >= 0 ? Big(abs(difference) >> shift) : Big(abs(difference) << -shift);
            const double expected = std::ldexp(scaled.convert_to<double>(), -40) * (difference < 0 ? -1 : 1);
            if (std::isinf(expected)) {
                EXPECT_GT(std::fabs(*one.ulp), 1e290)
                    << name << " " << i; // beyond a double with 40 bits behind the point
                continue;
            }
            EXPECT_NEAR(*one.ulp, expected, std::ldexp(1, -39) + std::fabs(expected) * 1e-12) << name << " " << i;
            EXPECT_EQ(one.is_exact, difference == 0) << name << " " << i;
            EXPECT_EQ(one.relative.has_value(), sum != 0) << name << " " << i;
            if (one.is_correct) {
                EXPECT_LE(std::fabs(*one.ulp), 0.5) << name << " " << i;
            } else {
                EXPECT_GE(std::fabs(*one.ulp), 0.25)
                    << name << " " << i; // the ulp below a power of two is half as large
            }
        }
        EXPECT_GT(finite, 50) << name;
    }
}

TEST(Exactness, ByHand) {
    const Shape fma = shape_of(resolve_unit("x86/fma.f32"));
    const auto of = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
        const std::uint64_t as[] = {a}, bs[] = {b};
        return exactness(fma, {.a = as, .b = bs, .sa = {}, .sb = {}, .c = c}, d);
    };
    constexpr std::uint64_t one = 0x3f800000, infinity = 0x7f800000, nan = 0x7fc00000;
    // 1·1 + 2^-24: half an ulp above 1, which ties to even give.
    const Exactness tie = of(one, one, 0x33800000, one);
    EXPECT_EQ(*tie.ulp, -0.5);
    EXPECT_TRUE(tie.is_correct);
    EXPECT_EQ(*of(one, one, 0x33800000, one + 1).ulp, 0.5);
    EXPECT_FALSE(of(one, one, 0x33800000, one + 1).is_correct);
    EXPECT_DOUBLE_EQ(*of(one, one, 0, 0x40000000).relative, 1);
    // 1 − 1 is 0, whatever its sign; from there nothing is relative.
    EXPECT_TRUE(of(one, one, 0xbf800000, 0x80000000).is_correct);
    EXPECT_FALSE(of(one, one, 0xbf800000, one).relative.has_value());
    EXPECT_TRUE(of(infinity, one, 0, infinity).is_correct);
    EXPECT_FALSE(of(infinity, one, 0, infinity | 0x80000000).is_correct);
    EXPECT_TRUE(of(nan, one, 0, 0x7fffffff).is_correct);
    EXPECT_FALSE(of(nan, one, 0, one).ulp.has_value());
}

} // namespace
} // namespace discern::explain
