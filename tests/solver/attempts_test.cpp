// Attempts side by side: which of them decides, what ends the others, and what is noted of them.
#include "solver/decide/attempts.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace discern {
namespace {

using Way = Approach<int>;

Way says(const std::string& name, Outcome outcome, int found = 0, bool is_restricted = false) {
    const auto run = [=](const Limit&) {
        Asked<int> asked;
        asked.outcome = outcome;
        asked.cross = {1, 0};
        if (outcome == Outcome::sat) asked.solution = found;
        return asked;
    };
    return {name, run, is_restricted};
}

Way waits(const std::string& name) {
    return {name, [](const Limit& limit) {
                while (!limit.reached()) std::this_thread::yield();
                return Asked<int>{};
            }};
}

TEST(Attempts, OfOneThreadAreInTheirOrderUntilOneDecides) {
    const Asked<int> asked =
        side_by_side<int>({says("open", Outcome::unknown), says("restricted", Outcome::unsat, 0, true),
                           says("found", Outcome::sat, 7), says("never asked", Outcome::unsat)},
                          1, Limit::after(60));
    EXPECT_EQ(asked.outcome, Outcome::sat);
    EXPECT_EQ(asked.solution, 7);
    EXPECT_EQ(asked.by, "found");
    EXPECT_EQ(asked.cross.confirmed, 1u); // its own
    ASSERT_EQ(asked.attempts.size(), 3u);
    EXPECT_EQ(asked.attempts[1].name, "restricted");
    EXPECT_EQ(asked.attempts[1].outcome, Outcome::unknown); // unsat of some inputs says nothing
}

TEST(Attempts, WhatIsRestrictedMayFindASolution) {
    const Asked<int> asked = side_by_side<int>({says("some", Outcome::sat, 3, true)}, 2, Limit::after(60));
    EXPECT_EQ(asked.outcome, Outcome::sat);
    EXPECT_EQ(asked.solution, 3);
}

TEST(Attempts, TheFirstAnswerEndsAllOthers) {
    const Asked<int> asked =
        side_by_side<int>({waits("one"), waits("two"), says("three", Outcome::unsat)}, 3, Limit::after(60));
    EXPECT_EQ(asked.outcome, Outcome::unsat);
    EXPECT_EQ(asked.by, "three");
    EXPECT_EQ(asked.attempts.size(), 3u);
}

TEST(Attempts, EndWithTheLimitOrFromOutside) {
    EXPECT_EQ(side_by_side<int>({waits("one")}, 2, Limit::after(0.01)).outcome, Outcome::unknown);
    std::stop_source stop;
    std::jthread later([&stop] { stop.request_stop(); });
    EXPECT_EQ(side_by_side<int>({waits("one"), waits("two")}, 2, Limit::after(1e9, stop.get_token())).outcome,
              Outcome::unknown);
}

TEST(Attempts, AFailureEndsAllOthersAndIsHandedOn) {
    const Way fails = {"two", [](const Limit&) -> Asked<int> { throw std::logic_error("a contradiction"); }};
    EXPECT_THROW(side_by_side<int>({waits("one"), fails}, 2, Limit::after(60)), std::logic_error);
}

} // namespace
} // namespace discern
