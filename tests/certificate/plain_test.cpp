// The plain circuit against the evaluators, which share the notation with it and no arithmetic.
//
// DISCERN_SWEEP=n compares n vectors per family and unit instead of the quick default.
#include "plain_unit.hpp"

#include "models/catalogue.hpp"
#include "tests/models/random_tree.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern::tests {
namespace {

TEST(Plain, RandomUnits) {
    int failures = 0;
    const int count = sweep(12);
    for (std::uint64_t seed = 1; seed <= 400 && failures < 5; ++seed) {
        const Unit unit = UnitGenerator(seed, true).next();
        const PlainUnit plain(unit);
        const Evaluator evaluator(unit);
        const auto difference = plain_difference(
            plain, unit, [&](const Inputs& x) { return evaluator(x); }, vectors_of_families(unit, seed, count));
        EXPECT_FALSE(difference) << "unit seed " << seed << ": plain circuit and evaluator differ, " << *difference;
        failures += difference ? 1 : 0;
    }
}

} // namespace
} // namespace discern::tests
