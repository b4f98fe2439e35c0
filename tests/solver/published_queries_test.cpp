// The table of published queries: every unit can be read, every question has both kinds of answer, and those that
// random vectors or equal terms answer at once have the answer that is expected. The others are asked by bench/queries.
#include "bench/published_queries.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "solver/discriminate.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace discern::bench {
namespace {

TEST(PublishedQueries, EveryUnitCanBeReadAndCompared) {
    for (const Expectation& row : published_queries) {
        SCOPED_TRACE(row.claim);
        const Unit first = resolve_unit(row.first()), second = resolve_unit(row.second());
        EXPECT_EQ(incomparable(first, second), "");
    }
}

TEST(PublishedQueries, AllTenTopicsAreThereEachWithAPublishedTime) {
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
    DiscriminateOptions options;
    options.solver = "random";
    std::size_t answered = 0;
    for (const Expectation& row : published_queries) {
        SCOPED_TRACE(row.claim);
        const Unit first = resolve_unit(row.first()), second = resolve_unit(row.second());
        const Answer answer = discriminate(first, second, options);
        if (row.expected == Verdict::different)
            EXPECT_EQ(answer.verdict, Verdict::different);
        else
            EXPECT_NE(answer.verdict, Verdict::different);
        answered += answer.verdict == row.expected;
        for (const Vector& v : answer.witnesses)
            EXPECT_NE(evaluate_exactly(first, v.inputs()), evaluate_exactly(second, v.inputs()));
    }
    EXPECT_GT(answered, published_queries.size() / 2);
}

} // namespace
} // namespace discern::bench
