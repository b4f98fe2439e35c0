// Quantiles of counts against those of all numbers in order, and sums that do not depend on the parts.
#include "analysis/measure/quantiles.hpp"

#include "models/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace discern::measure {
namespace {

TEST(Quantiles, AreThoseOfTheSortedNumbersToOnePartIn128) {
    Random random(3);
    for (const int size : {1, 2, 7, 100, 5000}) {
        std::vector<double> all;
        Quantiles whole;
        std::vector<Quantiles> parts(3);
        for (int i = 0; i < size; ++i) {
            const double x = i % 11 == 0 ? 0 : std::exp2(random.normal() * 40);
            all.push_back(x);
            whole.add(x);
            parts[static_cast<std::size_t>(i % 3)].add(x);
        }
        std::sort(all.begin(), all.end());
        Quantiles sum;
        for (const Quantiles& part : parts) sum.add(part);
        for (const double share : shown_shares) {
            const auto index = static_cast<std::size_t>(std::ceil(share * size - 1e-9)) - 1;
            EXPECT_LE(whole.at(share), all[index]) << size << " " << share;
            EXPECT_GE(whole.at(share), all[index] * 127 / 128) << size << " " << share;
            EXPECT_EQ(whole.at(share), sum.at(share)) << size << " " << share;
        }
    }
}

TEST(Quantiles, PowersOfTwoAndHalvesAreExact) {
    Quantiles q;
    EXPECT_EQ(q.at(0.5), 0);
    for (int i = 0; i < 99; ++i) q.add(0.5);
    q.add(1e30);
    EXPECT_EQ(q.at(0.5), 0.5);
    EXPECT_EQ(q.at(0.99), 0.5);
    EXPECT_GT(q.at(0.999), 9e29);
}

} // namespace
} // namespace discern::measure
