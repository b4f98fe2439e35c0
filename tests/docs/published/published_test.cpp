// The published results, one test a collection: every number is the published one, except where a contradiction is
// known.

#include "docs/examples/published/dot.hpp"
#include "docs/examples/published/published.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

namespace discern::published {
namespace {

void expect_all(const Collection& collection, std::size_t results, std::size_t contradictions) {
    EXPECT_EQ(collection.results.size(), results);
    std::size_t differ = 0;
    for (const Result& r : collection.results) {
        EXPECT_EQ(r.computed, r.contradiction.value_or(r.published)) << r.subject << ", " << r.unit;
        if (r.contradiction) {
            ++differ;
            EXPECT_NE(*r.contradiction, r.published) << r.subject << " is no contradiction";
        }
    }
    EXPECT_EQ(differ, contradictions);
}

TEST(Published, OneDotProductHasSixAnswers) {
    const Collection table = divergence();
    expect_all(table, 32, 0);
    std::vector<double> answers;
    for (const Result& r : table.results) answers.push_back(r.computed);
    std::sort(answers.begin(), answers.end());
    answers.erase(std::unique(answers.begin(), answers.end()), answers.end());
    EXPECT_EQ(answers, (std::vector<double>{-1, -0.875, -0.75, -0.5, -0.375, 0}));
}

TEST(Published, GemmOnFiveDevices) { expect_all(gemm(), 6, 1); }

TEST(Published, FloorOfH100) { expect_all(floor_of_h100(), 9, 5); }

TEST(Published, RoundingOfV100) { expect_all(rounding_of_v100(), 8, 0); }

TEST(Published, FrameOfRdna35) { expect_all(frame_of_rdna35(), 8, 4); }

TEST(Published, ErrorCorrection) {
    const Collection table = error_correction();
    expect_all(table, 3, 0);
    EXPECT_NE(table.results.at(1).computed, table.results.at(2).computed);
}

// The helpers that the numbers above rest on.
TEST(Published, PatternsOfNumbers) {
    const Format& f16 = format(FormatId::f16);
    EXPECT_EQ(pattern(f16, 1), 0x3c00u);
    EXPECT_EQ(pattern(f16, -0.0), 0x8000u);
    EXPECT_EQ(pattern(f16, 0x1p-24), 0x0001u);
    EXPECT_EQ(pattern(f16, 0x1p-23 + 0x1p-24), 0x0003u);
    EXPECT_EQ(pattern(f16, -65504), 0xfbffu);
    EXPECT_THROW(pattern(f16, 1 + 0x1p-11), std::invalid_argument);
    EXPECT_THROW(pattern(f16, 0x1p-25), std::invalid_argument);
    EXPECT_EQ(number(f16, 0x0003), 0x1p-23 + 0x1p-24);
    EXPECT_EQ(number(f16, 0xfc00), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(number(format(FormatId::f32), 0x0000000b), 11 * 0x1p-149);
}

} // namespace
} // namespace discern::published
