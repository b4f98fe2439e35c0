// Sums of small products that hit a number exactly, and the probe that is made of them: it shows the exponents of a
// zero c at which the largest products of a unit only just reach the smallest subnormal number.
#include "models/stimulus/probes/probes.hpp"
#include "models/stimulus/probes/small_products.hpp"
#include "solver/decide/discriminate.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/notation.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace discern::identify {
namespace {

TEST(SmallProducts, AreAllProductsOnceAndSumsAreExact) {
    using enum FormatId;
    Random random(61);
    for (const auto& [one, other] : {std::pair{e2m1, e2m1}, {e4m3, e3m2}, {e5m2, e5m2fnuz}, {e2m3, e4m3fnuz}}) {
        const Format &a = format(one), &b = format(other);
        const SmallProducts small(a, b);
        std::set<double> values;
        for (std::uint64_t x = 1; x < 1ull << (a.width - 1); ++x)
            for (std::uint64_t y = 1; y < 1ull << (b.width - 1); ++y)
                if (decode(a, x).number_class == NumberClass::finite &&
                    decode(b, y).number_class == NumberClass::finite)
                    values.insert(to_double(a, x) * to_double(b, y));
        const auto all = small.up_to(small.highest_exponent());
        EXPECT_EQ(all.size(), values.size());
        for (const auto& p : all)
            EXPECT_EQ(std::ldexp(static_cast<double>(p.value), small.lsb()), to_double(a, p.a) * to_double(b, p.b));
        int found = 0;
        for (int i = 0; i < 200; ++i) {
            const int top = random.between(small.lowest_exponent(), small.highest_exponent());
            const auto products = small.up_to(top);
            ASSERT_FALSE(products.empty());
            const wide::i128 target = wide::i128{1} << random.below(40);
            const std::size_t n = static_cast<std::size_t>(random.between(1, 32));
            const auto terms = SmallProducts::sum(products, target, n, random);
            if (!terms) continue;
            ++found;
            EXPECT_LE(terms->size(), n);
            wide::i128 sum = 0;
            for (const auto& p : *terms) {
                EXPECT_LE(p.exponent, top);
                sum += p.value;
            }
            EXPECT_TRUE(sum == target);
        }
        EXPECT_GT(found, 30);
    }
    EXPECT_TRUE(SmallProducts(format(f16), format(e2m1)).empty());
}

/// The smallest exponent of a zero c that shows, for units of NVIDIA with ue8m0 scales.
struct Threshold {
    const char* unit;
    int zero;
};
const std::vector<Threshold> thresholds = {
    {"mma.m16n8k32.block32.f32.e4m3.e3m2.f32.ue8m0", -154}, {"mma.m16n8k32.block32.f32.e4m3.e2m1.f32.ue8m0", -149},
    {"mma.m16n8k32.block32.f32.e5m2.e2m1.f32.ue8m0", -154}, {"mma.m16n8k32.block32.f32.e3m2.e4m3.f32.ue8m0", -154},
    {"mma.m16n8k32.block32.f32.e3m2.e2m1.f32.ue8m0", -140}, {"mma.m16n8k32.block32.f32.e2m3.e5m2.f32.ue8m0", -154},
    {"mma.m16n8k32.block32.f32.e2m1.e4m3.f32.ue8m0", -149}, {"mma.m16n8k32.block32.f32.e2m1.e5m2.f32.ue8m0", -154},
    {"mma.m16n8k32.block32.f32.e2m1.e3m2.f32.ue8m0", -140}, {"mma.m16n8k32.block32.f32.e2m1.e2m3.f32.ue8m0", -137},
    {"mma.m16n8k32.block32.f32.e2m1.e2m1.f32.ue8m0", -135}, {"mma.m16n8k64.block32.f32.e2m1.e2m1.ue8m0", -158},
    {"mma.m16n8k64.block16.f32.e2m1.e2m1.ue8m0", -158},
};

TEST(BoundaryProbe, ShowsTheSmallestExponentsOfAZeroThatAreObservable) {
    constexpr int vectors = 3000;
    for (const auto& [name, zero] : thresholds) {
        // Without the floor of the newest readings, below which no exponent of a zero shows.
        const std::string unit = std::string("rtxblackwell/") + name + "{catalogue=paper}";
        const Unit plain = resolve_unit(unit);
        const auto with_zero = [&](int e) {
            Unit other = plain;
            Fuse& fuse = std::get<Fuse>(std::get<Round>(other.tree.kind).get().kind);
            fuse.children.back().zero = {ZeroExponent::Kind::constant, e};
            return other;
        };
        const Unit shown = with_zero(zero), idle = with_zero(zero - 1);
        DiscriminateOptions options;
        options.timeout = tests::sweeping() ? 100 : 0.2; // a proof takes longer
        const Answer answer = discriminate(plain, idle, options);
        EXPECT_NE(answer.verdict, discern::Verdict::different) << unit;
        ProbeMaker probes(shape_of(plain), 62);
        const Evaluator of_plain(plain), of_shown(shown), of_idle(idle);
        int different = 0;
        for (int i = 0; i < vectors; ++i) {
            const InputBuffer v = probes.make(Probe::boundary, i % 2 == 0 ? plain : shown);
            different += of_plain(v.inputs()) != of_shown(v.inputs()) ? 1 : 0;
            ASSERT_EQ(of_plain(v.inputs()), of_idle(v.inputs())) << unit;
        }
        std::printf("%s zero=%d: %d; one less: %s in %.2f s\n", unit.c_str(), zero, different,
                    std::string(discern::name(answer.verdict)).c_str(), answer.seconds);
        EXPECT_GT(different, 0) << unit;
    }
}

} // namespace
} // namespace discern::identify
