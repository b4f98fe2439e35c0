// A cell of more units than are folded side by side: its classes against all inputs, its terms against those of all
// units in one graph.
#include "analysis/suite/cell.hpp"

#include "all_inputs.hpp"
#include "models/batch.hpp"
#include "models/space.hpp"
#include "solver/decide/decide.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace discern::testing {
namespace {

TEST(LargeCell, HasTheClassesThatAllInputsShow) {
    const Space space =
        Space::parse("e2m1*e2m1+e2m1->e4m3 K=1 : round[e4m3 rne](fuse[F=3 rz](p*, c)){F={0..60},align={rz|rd|rne},"
                     "floor={none|-1},product={raw|carry|full},round={e4m3:rne|e4m3:rz}}");
    std::vector<Unit> units;
    for (Member& member : members({&space, 1})) units.push_back(std::move(member.unit));
    ASSERT_GT(units.size(), 2048U);
    Cell cell(units.size());
    std::iota(cell.begin(), cell.end(), std::size_t{0});
    CellOptions options;
    options.ask = [](std::size_t, std::span<const std::size_t>) { return Answer{}; }; // what is left is open
    const CellOutcome outcome = settled_cell(listed(units), cell, options);

    const FoldedTerms terms = folded_terms(listed(units));
    EXPECT_EQ(outcome.terms, 1 + *std::max_element(terms.number.begin(), terms.number.end()));

    tests::AllInputs all(units.front());
    std::vector<std::vector<std::uint64_t>> results;
    const std::span<const Inputs> inputs = all.piece(0, all.count());
    for (const Unit& unit : units) BatchEvaluator{unit}(inputs, results.emplace_back(inputs.size()));
    std::set<std::size_t> seen;
    std::map<std::vector<std::uint64_t>, std::vector<std::size_t>> same; // classes, by their results
    for (std::size_t c = 0; c < outcome.classes.size(); ++c) {
        const Cell& one = outcome.classes[c];
        EXPECT_TRUE(std::is_sorted(one.begin(), one.end()));
        for (const std::size_t unit : one) {
            EXPECT_TRUE(seen.insert(unit).second);
            EXPECT_EQ(results[unit], results[one.front()]) << unit << " and " << one.front();
        }
        same[results[one.front()]].push_back(c);
    }
    EXPECT_EQ(seen.size(), units.size());
    const std::set<std::pair<std::size_t, std::size_t>> open(outcome.open.begin(), outcome.open.end());
    for (const auto& [row, classes] : same)
        for (std::size_t i = 0; i < classes.size(); ++i)
            for (std::size_t j = i + 1; j < classes.size(); ++j)
                EXPECT_TRUE(open.contains({classes[i], classes[j]})) << classes[i] << " and " << classes[j];
    EXPECT_GT(same.size(), 10U);
    EXPECT_LT(outcome.classes.size(), units.size() / 2); // folding has merged many
}

TEST(LargeCell, ThatIsCutShortIsAListAndNotPairs) {
    const Space space = Space::parse("volta/mma.m8n8k4.f32.f16.f16.f32{F={1..60},floor={none|-200..-1}}");
    std::vector<Unit> units;
    for (Member& member : members({&space, 1})) units.push_back(std::move(member.unit));
    Cell cell(units.size());
    std::iota(cell.begin(), cell.end(), std::size_t{0});
    CellOptions options;
    options.limit = Limit::after(0, {});
    const auto start = Limit::Clock::now();
    const CellOutcome outcome = settled_cell(listed(units), cell, options);
    EXPECT_LT(seconds_since(start), 5.0); // 72 million pairs take longer
    EXPECT_TRUE(outcome.interrupted);
    EXPECT_FALSE(outcome.settled());
    EXPECT_EQ(outcome.classes.size(), units.size());
    EXPECT_TRUE(outcome.open.empty());
    ASSERT_EQ(outcome.undecided.size(), 1U);
    EXPECT_EQ(outcome.undecided.front(), cell);
    EXPECT_EQ(outcome.open_pairs(), units.size() * (units.size() - 1) / 2);
}

} // namespace
} // namespace discern::testing
