// The common form of units of different shapes, against the units themselves: conversions of all patterns, what is
// said, what is refused, and results on vectors of every family.
#include "models/common_form.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace discern {
namespace {

Kernel alone(const std::string& text) {
    const Unit unit = resolve_unit(text);
    return {unit, unit.K, {}};
}

CommonForm form_of(const std::string& one, const std::string& other, std::optional<Conversion> d = std::nullopt) {
    return common_form({{"A", alone(one)}, {"B", alone(other)}}, d);
}

std::string refusal(const std::string& one, const std::string& other, std::optional<Conversion> d = std::nullopt) {
    try {
        const CommonForm form = form_of(one, other, d);
        return "no refusal, but " + to_string(form.kernels.front().unit) + " and " +
               to_string(form.kernels.back().unit);
    } catch (const Error& error) {
        return error.what();
    }
}

void expect_said(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

/// A dot product with a parameter at every place where the exponent of an operand counts.
std::string unit_of(const std::string& formats, const std::string& leaf = "p*", const std::string& c = "c") {
    return formats + " : round[f32 rz](fuse[F=6 rz zero=emin](" + leaf + ", " + c + "))";
}

TEST(CommonForm, EmbedsWhatIsThereInBothFormats) {
    // Of all pairs of formats of up to 16 bits with names: every pattern of the narrow one is the same number of the
    // wide one, and where one is not, the format is said not to embed.
    for (const Format& inner : formats())
        for (const Format& outer : formats()) {
            if (inner.width > 16 || outer.width > 32 || inner.is_signed != outer.is_signed) continue;
            bool all = true;
            for (std::uint64_t pattern = 0; pattern <= inner.mask() && all; ++pattern) {
                const Decoded x = decode(inner, pattern);
                const bool nan = x.number_class == NumberClass::nan, inf = x.number_class == NumberClass::infinite;
                const double value = nan || inf ? 0 : to_double(inner, pattern);
                if (nan) {
                    all = outer.has_nan();
                } else if (inf) {
                    all = outer.has_infinity();
                } else if (value == 0) {
                    all = outer.has_zero && (!std::signbit(value) || outer.has_minus_zero());
                } else {
                    const double unit_in_last = std::ldexp(1.0, outer.lsb());
                    const double top =
                        std::ldexp(static_cast<double>(outer.max_significand()), outer.emax() - outer.mantissa_bits);
                    int exponent = 0; // value = fraction · 2^exponent with a fraction in [1/2, 1)
                    const double fraction = std::abs(std::frexp(value, &exponent));
                    const double digits = std::ldexp(fraction, outer.mantissa_bits + 1);
                    all = std::abs(value) <= top && digits == std::floor(digits) &&
                          value / unit_in_last == std::floor(value / unit_in_last);
                }
                if (!embeds(outer, inner)) continue;
                ASSERT_TRUE(all) << inner.name << " in " << outer.name << ": " << pattern;
                const Decoded y = decode(outer, embedded(outer, inner, pattern));
                ASSERT_EQ(x.number_class, y.number_class) << inner.name << " in " << outer.name << ": " << pattern;
                if (nan) continue;
                ASSERT_EQ(x.negative, y.negative) << inner.name << " in " << outer.name << ": " << pattern;
                ASSERT_TRUE(inf || value == to_double(outer, embedded(outer, inner, pattern)));
            }
            EXPECT_EQ(embeds(outer, inner), all) << inner.name << " in " << outer.name;
        }
}

TEST(CommonForm, OfOneShapeIsTheUnitsThemselves) {
    const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32";
    const CommonForm form = form_of(volta, volta + "{F=22}");
    EXPECT_TRUE(form.assumed.empty());
    EXPECT_EQ(form.kernels, form.own);
}

TEST(CommonForm, SaysWhatItAssumes) {
    const CommonForm form = form_of("rtxblackwell/mma.m16n8k32.block32.f32.e4m3.e4m3.f32.ue8m0",
                                    "rtxblackwell/mma.m16n8k16.f32.f16.f16.f32");
    EXPECT_EQ(to_string(form.shape), "e4m3*e4m3+f32->f32 K=32");
    EXPECT_EQ(form.assumed, (std::vector<std::string>{
                                "B: K is 32, 2 instructions of 16 that are chained through c", "A: its scales are 1",
                                "B: a and b are e4m3, converted to f16, which has all its numbers"}));
    const CommonForm equal =
        form_of(unit_of("e4m3*e4m3+f32->f32 K=4 scale=e8m0/2"), unit_of("e4m3*e4m3->f32 K=4 scale=e8m0/4"));
    EXPECT_EQ(to_string(equal.shape), "e4m3*e4m3->f32 K=4 scale=e8m0/4");
    EXPECT_EQ(equal.assumed, (std::vector<std::string>{"A: the scales of each 4 elements are equal", "A: c is +0"}));
    const CommonForm rounded =
        form_of(unit_of("f16*f16+f32->f32 K=1"), "f16*f16+f16->f16 K=1 : round[f16 rne](fuse[exact](p*, c))",
                Conversion{FormatId::f16, Rounding::rz});
    EXPECT_EQ(rounded.assumed.front(), "A: d, which is f32, is rounded to f16 (rz)");
}

// Every side in the common form gives the results of the side itself.
TEST(CommonForm, IsEachSide) {
    const std::vector<std::pair<std::string, std::string>> pairs = {
        {unit_of("e4m3*e4m3+f32->f32 K=2"), unit_of("f16*f16+f32->f32 K=1")},
        {unit_of("e5m2*e4m3+f16->f32 K=2"), unit_of("f16*f16+f32->f32 K=2")},
        {unit_of("e2m1*e2m1+f32->f32 K=3"), unit_of("f16*f16+f32->f32 K=2", "p*[ftz]", "c[ftz]")},
        {unit_of("e4m3*e4m3+f16->f32 K=2"), unit_of("bf16*bf16+f32->f32 K=2", "p*[carry]", "c")},
        {unit_of("bf16*bf16+bf16->f32 K=2"), unit_of("f32*f32+f32->f32 K=2", "p*[ftz=plus]", "c[ftz]")},
        {unit_of("f16*f16->f32 K=2"), unit_of("f16*f16+f16->f32 K=2")},
        {unit_of("f16*f16->f32 K=2"), unit_of("f16*f16+f32->f32 K=2 c=last")},
        {unit_of("e4m3*e4m3+f32->f32 K=8 scale=e8m0/4"), unit_of("e4m3*e4m3+f32->f32 K=4 scale=e8m0/32")},
        {unit_of("e4m3*e4m3+f32->f32 K=8 scale=ue4m3/4"),
         "e4m3*e4m3+f32->f32 K=8 L=4 scale=ue4m3/2 : round[f32 rz](fuse[F=6 rz zero=emin](g*[G=2], c))"},
        {unit_of("e4m3*e4m3+f32->f32 K=8"),
         "e4m3*e4m3+f32->f32 K=8 L=4 scale=ue4m3/2 : round[f32 rz](fuse[F=6 rz zero=emin](g*[G=2], c))"},
        {unit_of("e4m3*e4m3+f32->f32 K=6"), unit_of("e4m3*e4m3+f32->f32 K=4 c=last")},
    };
    for (const auto& [one, other] : pairs) {
        const CommonForm form = form_of(one, other);
        EXPECT_FALSE(form.assumed.empty()) << one << " and " << other;
        for (std::size_t side = 0; side < 2; ++side) {
            const KernelEvaluator written(form.kernels[side]), itself(form.own[side]);
            ASSERT_EQ(shape_of(form.kernels[side]), form.shape);
            for (const Family family : families) {
                InputGenerator generator(chain_of(form.kernels[side]), family, 7);
                InputBuffer x;
                for (int n = 0; n < 500; ++n) {
                    generator.next(x);
                    const InputBuffer own = own_inputs(form, side, x.inputs());
                    ASSERT_TRUE(same_result(form.own[side], written(x.inputs()), itself(own.inputs())))
                        << to_string(form.kernels[side].unit) << " is not " << to_string(form.own[side].unit);
                }
            }
        }
    }
}

TEST(CommonForm, RefusesWhatIsNotExact) {
    const std::string f16 = unit_of("f16*f16+f32->f32 K=2"), e4m3 = unit_of("e4m3*e4m3+f32->f32 K=2");
    expect_said(refusal(e4m3, unit_of("e5m2*e5m2+f32->f32 K=2")), "a is e4m3 in A, e5m2 in B, and no one of these");
    expect_said(refusal(f16, unit_of("bf16*bf16+f32->f32 K=2")), "a is f16 in A, bf16 in B");
    // A format without infinity in its place, or without −0.
    expect_said(refusal(unit_of("e5m2*e5m2+f32->f32 K=2"), unit_of("e5m3fn*e5m3fn+f32->f32 K=2")), "no one of these");
    expect_said(refusal(e4m3, unit_of("e5m3fnuz*e5m3fnuz+f32->f32 K=2")), "no one of these");
    expect_said(refusal(unit_of("fix8.6*fix8.6+f32->f32 K=2"), f16), "no one of these");
    expect_said(refusal(f16, "f16*f16+f32->f16 K=2 : round[f16 rz](fuse[exact](p*, c))"), "--d f16:rne compares");
    expect_said(
        refusal(unit_of("e4m3*e4m3+f32->f32 K=2 scale=e8m0/2"), unit_of("e4m3*e4m3+f32->f32 K=2 scale=ue4m3/2")),
        "{scale=1} is");
    expect_said(refusal(unit_of("e4m3*e4m3+f32->f32 K=6 scale=e8m0/2"), unit_of("e4m3*e4m3+f32->f32 K=6 scale=e8m0/3")),
                "does not divide the other");
    expect_said(refusal("x86/dpps", unit_of("f32*f32+f32->f32 K=3")), "it cannot be chained, because it has no accum");
    expect_said(refusal(unit_of("f16*f16+f16->f32 K=2"), unit_of("f16*f16+f16->f32 K=3")),
                "because its d is f32 and its c f16");
    // A leaf that flushes what is subnormal in f16 and not in the other operand's own format.
    expect_said(refusal(unit_of("e4m3*f16+f32->f32 K=2"), unit_of("f16*f16+f32->f32 K=2", "p*[ftz]")),
                "it reads subnormal numbers of f16 as zero");
    expect_said(refusal(e4m3, "f16*f16+f32->f32 K=2 nan=x86 : round[f32 rne](fuse[exact](p*, c))"), "{nan=any} is");
    expect_said(refusal(e4m3, "f16*f16+f32->f32 K=2 nan=rdna : round[f32 rne](fuse[exact](p*, c))"), "{nan=any} is");
    expect_said(refusal(e4m3, "f16*bf16+f32->f32 K=2 : round[f32 rne](fuse[F=6 rz](p*, c))"), "read as two formats");
}

} // namespace
} // namespace discern
