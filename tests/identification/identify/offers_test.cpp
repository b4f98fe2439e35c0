// What is asked while a unit that has a name may be the target, and when a NaN tells its rule.
#include "identification/identify/nan_rule.hpp"
#include "identification/identify/offers.hpp"
#include "identification/identify/space/space.hpp"
#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace discern::identify {
namespace {

const Unit& of_volta() {
    static const Unit unit = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32");
    return unit;
}

TEST(Offers, AreOrderedByWhatTheyExcludeIfALikelyUnitIsTheTarget) {
    const Shape shape = shape_of(of_volta());
    const Candidates candidates(default_space(shape, Modes::usual));
    const std::vector<Sample> likely = {{of_volta()}};
    Random random(3);
    ProbeMaker probes(shape, 4);
    const auto samples = candidates.draw(48, std::nullopt, random);
    const auto offered = offers(shape, samples, likely, Aim::details, std::nullopt, probes, random);
    ASSERT_GT(offered.size(), 100u);
    double before = std::numeric_limits<double>::infinity();
    for (const Offer& offer : offered) {
        const auto result = [&](const Unit& unit) {
            return without_nan_bits(shape.d, Evaluator(unit)(offer.vector.inputs()));
        };
        std::size_t stay = 0;
        for (const Sample& sample : samples) stay += result(sample.unit) == result(of_volta()) ? 1 : 0;
        ASSERT_LT(stay, samples.size());
        const double bits = std::log2(49.0 / static_cast<double>(1 + stay));
        EXPECT_NEAR(offer.score, bits, 1e-9);
        EXPECT_LE(bits, before + 1e-9);
        before = bits;
    }
    EXPECT_GT(offered.front().score, 3);
}

/// The first vector decides where the NaN is none that an operand's NaN would become, and only there.
TEST(NaNRule, ANaNOfTheUnitsOwnIsTold) {
    Unit unit = of_volta();
    Vector v = nan_vectors(shape_of(unit)).front();
    const auto own = [&](const Unit& truth) {
        v.d = {Evaluator(truth)(v.inputs())};
        return is_own_nan(unit, v);
    };
    EXPECT_TRUE(own(unit)); // 7fffffff
    const Unit kept = with_overrides(unit, "{nan=x86}");
    EXPECT_FALSE(own(kept));
    const std::uint64_t as_kept = v.d.front();
    unit.nan = {NanRule::Kind::pattern, as_kept}; // which that vector does not tell from x86
    EXPECT_FALSE(own(unit));
    v.d = {0};
    EXPECT_FALSE(is_own_nan(unit, v));
}

} // namespace
} // namespace discern::identify
