// Observations that would cut the candidates into too many pieces are put off; at the end they are used all the same.
#include "solver/identify/candidates.hpp"
#include "solver/identify/probes.hpp"
#include "solver/identify/space.hpp"

#include "models/catalogue.hpp"
#include "models/notation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace discern::identify {
namespace {

/// The two-level sums of a unit that is none: every one of their members is contradicted by some vectors, but many
/// answers mix too many of their features to be used at once.
TEST(IdentifyPutOff, IsUsedAtTheEnd) {
    const Unit unit = resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16");
    const Shape shape = shape_of(unit);
    std::vector<Structure> space;
    for (Structure& s : default_space(shape))
        if (s.frame.L == 16 && (s.name == "fused sums of 16" || s.name == "two-level fused sums of 16"))
            space.push_back(std::move(s));
    ASSERT_EQ(space.size(), 2u);
    const auto candidates = box_candidates(std::move(space));
    ProbeMaker probes(shape, 71);
    const Evaluator evaluate(unit);
    std::vector<InputBuffer> asked;
    for (std::size_t i = 0; i < 6 || (candidates->all_used() && i < 200); ++i) {
        asked.push_back(probes.make(static_cast<Probe>(i % probe_kinds), unit));
        const Inputs v = asked.back().inputs();
        ASSERT_EQ(candidates->observe(v, evaluate(v)), Taken::used);
    }
    ASSERT_FALSE(candidates->all_used());
    EXPECT_EQ(candidates->use_all(Limit::after(60)), Taken::used);
    EXPECT_TRUE(candidates->all_used());
    Random random(72);
    std::printf("%zu asked, %.1f bits left\n", asked.size(), candidates->bits());
    const auto members = candidates->draw(100, std::nullopt, random);
    EXPECT_FALSE(members.empty());
    for (const Sample& sample : members) {
        const Evaluator of_member(sample.unit);
        for (const InputBuffer& v : asked)
            ASSERT_EQ(without_nan_bits(shape.d, of_member(v.inputs())), without_nan_bits(shape.d, evaluate(v.inputs())))
                << to_string(sample.unit);
    }
}

} // namespace
} // namespace discern::identify
