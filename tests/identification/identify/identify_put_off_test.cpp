// Observations that would split the candidates into too many boxes are put off; at the end they are used as well.
#include "identification/identify/candidates.hpp"
#include "identification/identify/space/space.hpp"
#include "models/stimulus/probes/probes.hpp"
#include "random_member.hpp"

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
    for (Structure& s : default_space(shape, Modes::usual))
        if (s.frame.L == 16 && (s.name == "fused sums of 16" || s.name == "two-level fused sums of 16"))
            space.push_back(std::move(s));
    ASSERT_EQ(space.size(), 2u);
    Candidates candidates(std::move(space));
    ProbeMaker probes(shape, 74);
    const Evaluator evaluate(unit);
    std::vector<InputBuffer> asked;
    for (std::size_t i = 0; i < 6 || (candidates.all_used() && i < 200); ++i) {
        asked.push_back(probes.make(static_cast<Probe>(i % probe_kinds), unit));
        const Inputs v = asked.back().inputs();
        ASSERT_EQ(candidates.observe(v, evaluate(v), Limit{}), Taken::used);
    }
    ASSERT_FALSE(candidates.all_used());
    // What is named or offered meanwhile gives what was observed.
    const auto fails = [&](const Unit& member) {
        const Evaluator of_member(member);
        return std::count_if(asked.begin(), asked.end(), [&](const InputBuffer& v) {
            return without_nan_bits(shape.d, of_member(v.inputs())) != without_nan_bits(shape.d, evaluate(v.inputs()));
        });
    };
    if (const auto preferred = candidates.preferred()) {
        EXPECT_EQ(fails(*preferred), 0) << to_string(*preferred);
    }
    Random random(72);
    int agreeing = 0;
    for (const Remaining& left : candidates.remaining()) {
        const auto gives_put_off = [&](const Unit& member) {
            const Evaluator of_member(member);
            return std::all_of(left.put_off.begin(), left.put_off.end(), [&](const Vector& v) {
                return without_nan_bits(shape.d, of_member(v.inputs())) == without_nan_bits(shape.d, v.d.front());
            });
        };
        for (const Box& box : left.space.boxes)
            for (int i = 0; i < 400; ++i) {
                const Unit member = left.space.structure.member(random_member(box, random));
                if (!gives_put_off(member)) continue;
                ++agreeing;
                ASSERT_EQ(fails(member), 0) << left.what << ": " << to_string(member);
            }
    }
    EXPECT_GT(agreeing, 0);
    EXPECT_EQ(candidates.use_all(Limit::after(60)), Taken::used);
    EXPECT_TRUE(candidates.all_used());
    std::printf("%zu asked, %.1f bits left\n", asked.size(), candidates.bits());
    const auto members = candidates.draw(100, std::nullopt, random);
    EXPECT_FALSE(members.empty());
    for (const Sample& sample : members) ASSERT_EQ(fails(sample.unit), 0) << to_string(sample.unit);
}

/// Though the first member of what is left may contradict what was put off.
TEST(IdentifyPutOff, IsNotContradictedByWhatIsNamedMeanwhile) {
    const Unit unit = resolve_unit("cdna3/v_mfma_f32_32x32x16_fp8_fp8");
    Candidates candidates(default_space(shape_of(unit), Modes::usual));
    ProbeMaker probes(shape_of(unit), 73);
    const Evaluator evaluate(unit);
    std::vector<InputBuffer> asked;
    for (std::size_t i = 0; i < 4; ++i) {
        asked.push_back(probes.make(static_cast<Probe>(i % probe_kinds), unit));
        const Inputs v = asked.back().inputs();
        ASSERT_EQ(candidates.observe(v, evaluate(v), Limit::after(0)), Taken::used);
        const auto preferred = candidates.preferred();
        ASSERT_TRUE(preferred);
        const Evaluator of_preferred(*preferred);
        for (const InputBuffer& before : asked)
            EXPECT_EQ(of_preferred(before.inputs()), evaluate(before.inputs())) << to_string(*preferred);
    }
    EXPECT_FALSE(candidates.all_used());
}

} // namespace
} // namespace discern::identify
