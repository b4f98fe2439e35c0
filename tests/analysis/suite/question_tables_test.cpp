// The tables of questions with known answers: every unit can be read, and random vectors or equal terms answer at once
// what they can. The other questions are asked by tests/bench/queries and tests/bench/pairs.
#include "tests/bench/expected_pairs.hpp"
#include "tests/bench/published_queries.hpp"

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "solver/decide/discriminate.hpp"

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

// One fraction bit more shows even where dense random vectors overflow or are rounded to the same numbers: two largest
// products that cancel within a block, and a small one just below the last bit that the fewer bits keep.
TEST(FractionPairs, OneMoreBitShowsInInterleavedFp8) {
    const std::string unit = "hopper/mma.m16n8k32.f16.e4m3.e4m3.f16";
    std::vector<std::uint64_t> a(32), b(32);
    a[0] = b[0] = b[1] = 0x7e; // 448
    a[1] = 0xfe;
    a[4] = 0x08; // 2^-6
    b[4] = 0x18; // 2^-4
    const Inputs inputs{.a = a, .b = b, .sa = {}, .sb = {}, .c = 0};
    EXPECT_EQ(evaluate_exactly(resolve_unit(unit), inputs), 0u);
    EXPECT_EQ(evaluate_exactly(resolve_unit(unit + "{F=26}"), inputs), 0x1400u); // 2^-10
}

} // namespace
} // namespace discern::bench
