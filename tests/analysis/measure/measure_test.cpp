// Errors against the exact result: the fast sums against the oracle, what is added up against examples by hand, and
// units of which the error is known.
#include "analysis/measure/exact_sum.hpp"
#include "analysis/measure/measure.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/stimulus/stimulus.hpp"
#include "models/vectors.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace discern::measure {
namespace {

TEST(RoundedToOdd, KeepsWhatIsExactAndElseTheOddNeighbour) {
    EXPECT_EQ(rounded_to_odd(1, 0), 1);
    EXPECT_EQ(rounded_to_odd(1, 0x1p-60), 1 + 0x1p-52);
    EXPECT_EQ(rounded_to_odd(1, -0x1p-60), 1 - 0x1p-53);
    EXPECT_EQ(rounded_to_odd(-1, 0x1p-60), -1 + 0x1p-53);
    EXPECT_EQ(rounded_to_odd(1 + 0x1p-52, 0x1p-60), 1 + 0x1p-52);
    EXPECT_EQ(rounded_to_odd(1 + 0x1p-52, -0x1p-60), 1 + 0x1p-52);
    EXPECT_EQ(rounded_to_odd(0x1p53, 1), 0x1p53 + 2); // a tie, which rounding to nearest makes even first
    EXPECT_EQ(rounded_to_odd(0, 0), 0);
}

/// The oracle, of the exact sum rounded to odd in f64.
double by_oracle(const Shape& shape, const Inputs& inputs) {
    Shape in_f64 = shape;
    in_f64.d = FormatId::f64;
    Unit unit = unit_of_shape(in_f64);
    std::get<Round>(unit.tree.kind).mode = Rounding::odd;
    std::get<Round>(unit.tree.kind).overflow = Overflow::infinity;
    return std::bit_cast<double>(evaluate_exactly(unit, inputs));
}

TEST(ExactSums, AreThoseOfTheOracle) {
    for (const char* name :
         {"hopper/wgmma.m64n8k16.f32.f16.f16", "hopper/wgmma.m64n8k16.f32.bf16.bf16",
          "hopper/wgmma.m64n8k32.f32.e4m3.e4m3", "x86/fma.f32", "x86/dpps", "ampere/mma.m8n8k4.f64.f64.f64.f64",
          "blackwell/tcgen05.mma.m64n8k64.block16.f32.e2m1.e2m1.ue4m3"}) {
        const Unit unit = resolve_unit(name);
        const Shape shape = shape_of(unit);
        ExactSums sums(shape);
        for (const std::string_view family : stimulus_family_names()) {
            Stimulus stimulus(unit, std::vector{std::string(family)}, {}, 11);
            InputBuffer buffer;
            for (int i = 0; i < 150; ++i) {
                stimulus.next(buffer);
                const double fast = sums(buffer.inputs()).to_odd(), exact = by_oracle(shape, buffer.inputs());
                if (std::isnan(exact)) {
                    EXPECT_TRUE(std::isnan(fast)) << name;
                } else {
                    EXPECT_EQ(fast, exact)
                        << name << " " << family << " " << to_json(shape, vector_of(shape, buffer.inputs()));
                }
            }
        }
    }
}

TEST(ExactSums, AreTwoDoublesForOrdinaryNumbers) {
    const Unit unit = resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16");
    ExactSums sums(shape_of(unit));
    Stimulus stimulus(unit, std::vector<std::string>{"normal"}, {}, 1);
    InputBuffer buffer;
    for (int i = 0; i < 2000; ++i) {
        stimulus.next(buffer);
        sums(buffer.inputs());
    }
    EXPECT_LT(sums.long_sums(), 20u);
}

TEST(ErrorCounter, ByHand) {
    const Format& f16 = format(FormatId::f16);
    const ErrorCounter counter(f16);
    const auto of = [&](std::uint64_t d, double exact) {
        Errors e;
        counter.add(e, d, {exact, 0});
        return e;
    };
    // 1 + 2^-12 is nearest to 1 (3c00) and a quarter of an ulp above it.
    EXPECT_EQ(of(0x3c00, 1 + 0x1p-12).signed_ulp, -0.25);
    EXPECT_EQ(of(0x3c00, 1 + 0x1p-12).correct, 1u);
    EXPECT_EQ(of(0x3c01, 1 + 0x1p-12).signed_ulp, 0.75);
    EXPECT_EQ(of(0x3c01, 1 + 0x1p-12).apart.by_ulps[0], 1u);
    EXPECT_EQ(of(0x3c01, 1 + 0x1p-12).absolute, 0x1p-10 - 0x1p-12);
    // A tie goes to the even one, and is none with the least more.
    EXPECT_EQ(of(0x3c00, 1 + 0x1p-11).correct, 1u);
    EXPECT_EQ(of(0x3c01, 1 + 0x1p-11).correct, 0u);
    EXPECT_EQ(of(0x3c01, 1 + 0x1p-11 + 0x1p-52).correct, 1u);
    // Below the smallest normal number an ulp is 2^-24; a zero that should be something.
    EXPECT_EQ(of(0x0000, 0x1p-24).signed_ulp, -1);
    EXPECT_EQ(of(0x0000, 0x1p-24).signed_relative, -1);
    EXPECT_EQ(of(0x0001, 0).from_zero, 1u);
    EXPECT_EQ(of(0x8000, 0).correct, 1u);
    // Infinite, and beyond the largest.
    EXPECT_EQ(of(0x7c00, 1).special, 1u);
    EXPECT_EQ(of(0x7bff, 65519).special, 0u);
    EXPECT_EQ(of(0x7bff, 65520).special, 1u);
    EXPECT_EQ(of(0x7bff, NAN).special, 1u);
    // Cells of an eighth: −0.25 is the lower end of its cell; −5 is below all.
    EXPECT_EQ(of(0x3c00, 1 + 0x1p-12).histogram[1 + 32 - 2], 1u);
    EXPECT_EQ(of(0x3c00, 1 + 5 * 0x1p-10).histogram.front(), 1u);
    EXPECT_EQ(of(0x3c05, 1).histogram.back(), 1u);
}

Errors of_one(const std::string& unit, const std::string& family = "normal", std::uint64_t n = 20000, int chain = 1) {
    MeasureOptions options;
    options.families = {family};
    options.n = n;
    options.chain = chain;
    options.threads = 2;
    return measure({parse_unit(unit)}, options).at(0).units.at(0);
}

TEST(Measure, OfRoundingsWhoseErrorIsKnown) {
    const std::string formats = "f16*f16+f32->f32 K=4 : round[f32 ", exact = "](fuse[exact](p*, c))";
    for (const char* family : {"normal", "uniform_bits", "subnormals_and_zeros"}) {
        const Errors nearest = of_one(formats + "rne" + exact, family), zero = of_one(formats + "rz" + exact, family),
                     down = of_one(formats + "rd" + exact, family), up = of_one(formats + "ru" + exact, family);
        EXPECT_EQ(nearest.correct, nearest.counted()) << family;
        EXPECT_LE(nearest.most_ulp, 0.5);
        EXPECT_GT(nearest.counted(), 5000u);
        EXPECT_LT(zero.most_ulp, 1);
        EXPECT_EQ(down.ulp, -down.signed_ulp) << "never above";
        EXPECT_EQ(up.ulp, up.signed_ulp) << "never below";
        EXPECT_EQ(zero.dots, 20000u);
    }
    // Numbers without a pattern: half an ulp below on average; a quarter away, if to nearest.
    const std::string to_f16 = "f16*f16+f32->f16 K=4 : round[f16 ";
    const Errors down = of_one(to_f16 + "rd" + exact), nearest = of_one(to_f16 + "rne" + exact);
    EXPECT_NEAR(down.bias_ulp(), -0.5, 0.03);
    EXPECT_NEAR(nearest.mean_ulp(), 0.25, 0.02);
    EXPECT_NEAR(nearest.bias_ulp(), 0, 0.01);
}

TEST(Measure, TheSameWhateverTheThreadsAndOneAfterTheOther) {
    const std::vector<Unit> units = {resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32"),
                                     resolve_unit("turing/mma.m16n8k8.f32.f16.f16.f32{K=4}")};
    MeasureOptions options;
    options.families = {"normal", "cancelling"};
    options.n = 30000;
    options.threads = 1;
    const auto one = measure(units, options);
    options.threads = 3;
    const auto three = measure(units, options);
    ASSERT_EQ(one.size(), 2u);
    for (std::size_t f = 0; f < 2; ++f)
        for (std::size_t u = 0; u < 2; ++u) {
            EXPECT_EQ(one[f].units[u].ulp, three[f].units[u].ulp);
            EXPECT_EQ(one[f].units[u].histogram, three[f].units[u].histogram);
            EXPECT_EQ(one[f].units[u].dots, 30000u);
        }
    EXPECT_NE(one[0].units[0].ulp, one[0].units[1].ulp);
}

TEST(Measure, AChainIsAUnitOfMoreProducts) {
    const std::string tree = " : round[f32 rz](fuse[F=12 rz](p*, c))", formats = "f16*f16+f32->f32 K=";
    for (const char* family : {"normal", "cancelling"}) {
        const Errors chain = of_one(formats + "4 L=4" + tree, family, 5000, 3),
                     whole = of_one(formats + "12 L=4" + tree, family, 5000);
        EXPECT_EQ(chain.ulp, whole.ulp) << family;
        EXPECT_EQ(chain.histogram, whole.histogram) << family;
        EXPECT_GT(chain.ulp, 0) << family;
    }
    EXPECT_THROW(of_one("f16*f16+f16->f32 K=4 : round[f32 rz](fuse[exact](p*, c))", "normal", 10, 2), Error);
}

TEST(Measure, RoundingDownInsideIsABias) {
    // Xie et al., Figure 3: CDNA3 rounds summands down, and its errors are biased to below; to zero they are not.
    const std::string rd = to_string(resolve_unit("cdna3/v_mfma_f32_32x32x8_f16"));
    std::string rz = rd;
    for (std::size_t at = 0; (at = rz.find(" rd", at)) != std::string::npos;) rz.replace(at, 3, " rz");
    ASSERT_NE(rd, rz) << rd;
    MeasureOptions options;
    options.n = 40000;
    options.spread = parse_spread("a:1000,b:1000");
    const auto both = measure({parse_unit(rd), parse_unit(rz)}, options);
    EXPECT_LT(both[0].units[0].bias_absolute(), -0.02);
    EXPECT_LT(std::fabs(both[0].units[1].bias_absolute()), 0.005);
}

TEST(Measure, SpreadsAreReadOrRefused) {
    const Spread spread = parse_spread("c:0.5,a:1e3");
    EXPECT_EQ(spread.a, 1000);
    EXPECT_EQ(spread.b, 1);
    EXPECT_EQ(spread.c, 0.5);
    for (const char* wrong : {"", "a", "a:", "d:1", "a:-1", "a:1,", "a:x", "a:1e999", "a:nan"})
        EXPECT_THROW(parse_spread(wrong), Error) << wrong;
}

} // namespace
} // namespace discern::measure
