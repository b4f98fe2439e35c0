// The whole question, as a program asks it that has no command line.
#include "identification/identify/question.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/vectors/mixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace discern::identify {

namespace {

const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32";

/// A unit as a target.
Ask answers_of(const Unit& unit) {
    return [evaluate = std::make_shared<Evaluator>(unit)](std::span<const Inputs> batch) {
        std::vector<std::optional<std::uint64_t>> d;
        for (const Inputs& inputs : batch) d.emplace_back((*evaluate)(inputs));
        return d;
    };
}

Question about(const std::string& unit) {
    Question question;
    question.shape = shape_of(resolve_unit(unit));
    question.timeout = 20;
    question.options.validate = 1000;
    return question;
}

} // namespace

TEST(IdentifyQuestion, FindsAUnitByItsNameAndSaysSoBeforeTheLoop) {
    NamedClasses before;
    Question question = about(volta);
    question.first = [&](const NamedClasses& classes) { before = classes; };
    const Identified found = identify(question, answers_of(resolve_unit(volta)));
    ASSERT_FALSE(found.result.names.empty());
    EXPECT_EQ(found.result.names.front(), volta);
    EXPECT_EQ(before, found.consistent);
    ASSERT_EQ(found.consistent.size(), 1u);
    EXPECT_EQ(found.consistent.front().front(), volta);
    EXPECT_TRUE(found.near.empty());
}

TEST(IdentifyQuestion, WhereNothingFitsTheNearestUnitsWithNamesAreTold) {
    Question question = about(volta);
    question.spaces = {volta + "{F={22..24}}"};
    const Identified found = identify(question, answers_of(resolve_unit(volta + "{F=9}")));
    EXPECT_EQ(found.result.conclusion, Conclusion::unexplained);
    ASSERT_FALSE(found.near.empty());
    EXPECT_LE(found.near.size(), 5u);
    EXPECT_TRUE(std::ranges::is_sorted(found.near, {}, &NearNamed::mismatches));
    for (const NearNamed& near : found.near) {
        EXPECT_GT(near.mismatches, 0u);
        EXPECT_LE(near.mismatches, near.of);
        EXPECT_EQ(std::accumulate(near.kinds.begin(), near.kinds.end(), std::size_t{0}), near.mismatches);
    }
}

TEST(IdentifyQuestion, OfARecordingNothingElseIsAsked) {
    const Unit unit = resolve_unit(volta);
    Question question = about(volta);
    Recording recording;
    InputMixture mixture(unit, 5);
    const Evaluator evaluate(unit);
    for (const Inputs& inputs : mixture.batch(200, 1)) {
        recording.vectors.push_back(vector_of(question.shape, inputs));
        recording.vectors.back().d = {evaluate(inputs)};
    }
    question.recording = recording;
    question.timeout_is_own = false;
    const Ask ask = [&](std::span<const Inputs> batch) {
        for (const Inputs& inputs : batch)
            EXPECT_TRUE(std::ranges::any_of(
                recording.vectors, [&](const Vector& v) { return v.same_inputs(vector_of(question.shape, inputs)); }));
        return answers_of(unit)(batch);
    };
    const Identified found = identify(question, ask);
    ASSERT_FALSE(found.consistent.empty());
    EXPECT_EQ(found.consistent.front().front(), volta);
    EXPECT_LT(found.result.seconds, 40); // a recording that a unit explains gets ten seconds
}

TEST(IdentifyQuestion, ASpaceOfAnotherShapeIsRefused) {
    Question question = about(volta);
    question.spaces = {volta + "{K={4,8}}"};
    EXPECT_THROW(identify(question, answers_of(resolve_unit(volta))), Error);
}

} // namespace discern::identify
