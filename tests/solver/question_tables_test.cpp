// The tables of questions with known answers: every unit can be read, and random vectors or equal terms answer at once
// what they can. The other questions are asked by bench/queries and bench/pairs.
#include "bench/expected_pairs.hpp"
#include "bench/published_queries.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "solver/discriminate.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace discern::bench {
namespace {

/// Asks all rows without a solver; every difference must be found. @return how many were answered
std::size_t answered_without_solver(Expectations table) {
    DiscriminateOptions options;
    options.solver = "random";
    std::size_t answered = 0;
    for (const Expectation& row : table) {
        SCOPED_TRACE(std::string(row.topic) + ": " + std::string(row.claim));
        const Unit first = resolve_unit(row.first()), second = resolve_unit(row.second());
        EXPECT_EQ(incomparable(first, second), "");
        const Answer answer = discriminate(first, second, options);
        if (row.expected == Verdict::different)
            EXPECT_EQ(answer.verdict, Verdict::different);
        else
            EXPECT_NE(answer.verdict, Verdict::different);
        answered += answer.verdict == row.expected;
        for (const Vector& v : answer.witnesses)
            EXPECT_NE(evaluate_exactly(first, v.inputs()), evaluate_exactly(second, v.inputs()));
    }
    return answered;
}

TEST(PublishedQueries, AllTenTopicsAreThereEachWithAPublishedTimeAndACompanion) {
    std::map<std::string_view, int> published;
    std::map<std::string_view, std::set<Verdict>> verdicts;
    for (const Expectation& row : published_queries) {
        published[row.topic] += !row.published.empty();
        verdicts[row.topic].insert(row.expected);
    }
    EXPECT_EQ(published.size(), 10u);
    for (const auto& [topic, count] : published) EXPECT_EQ(count, 1) << topic;
    for (const auto& [topic, kinds] : verdicts)
        EXPECT_EQ(kinds, (std::set{Verdict::different, Verdict::equivalent})) << topic;
}

TEST(PublishedQueries, RandomVectorsAndEqualTermsAnswerAsExpected) {
    EXPECT_GT(answered_without_solver(published_queries), published_queries.size() / 2);
}

TEST(ExpectedPairs, RandomVectorsAndEqualTermsAnswerAsExpected) {
    EXPECT_GT(answered_without_solver(expected_pairs), expected_pairs.size() / 2);
}

TEST(ExpectedPairs, HardOnesAreTrueAsFarAsRandomVectorsCanTell) { answered_without_solver(hard_pairs); }

} // namespace
} // namespace discern::bench
