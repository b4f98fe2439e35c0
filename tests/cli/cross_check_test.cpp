// --cross-check and -n as a person uses them.
#include "program.hpp"

#include "solver/backend/backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace discern::testing {
namespace {

// Equivalent, but not the same term.
const std::string ten = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=10 rz carry=0](p*))";
const std::string twelve = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=12 rz carry=0](p*))";
// The sign is all that two witnesses can differ in.
const std::string none = "e2m1*e2m1->f32 K=1 : round[f32 rz](fuse[F=0 rz](p*))";
const std::string two = "e2m1*e2m1->f32 K=1 : round[f32 rz](fuse[F=2 rz](p*))";

TEST(CrossCheckOption, NamesASolverOrNone) {
    if (backends().size() < 2) GTEST_SKIP() << "this build has no two solvers";
    const std::string second = backends()[1].name;
    const std::vector<std::vector<std::string>> commands = {
        {"prove", ten, twelve, "--json", "--cross-check"},
        {"prove", ten, twelve, "--cross-check", "--json"},
        {"prove", "--cross-check", second, ten, twelve, "--json"},
        {"synth", ten, twelve, "--json", "--cross-check=" + second},
    };
    for (const auto& command : commands) {
        const Outcome outcome = discern(command);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_NE(outcome.out.find("\"cross_check\":{\"solver\":\"" + second + "\",\"confirmed\":"), std::string::npos)
            << outcome.out;
        EXPECT_NE(outcome.out.find("\"unconfirmed\":0}"), std::string::npos) << outcome.out;
    }
    const Outcome text = discern({"prove", ten, twelve, "--cross-check"});
    EXPECT_NE(text.out.find(", confirmed by " + second + "\n"), std::string::npos) << text.out;
    EXPECT_EQ(discern({"prove", ten, twelve, "--json"}).out.find("cross_check"), std::string::npos);
}

TEST(CrossCheckOption, WhatTheSecondSolverDoesNotConfirmIsUnknown) {
    if (backends().empty()) GTEST_SKIP() << "this build has no solver";
    const Outcome outcome =
        discern({"prove", ten, twelve, "--timeout", "3", "--cross-check", "sh -c 'cat >/dev/null; echo unknown'"});
    EXPECT_EQ(outcome.status, 3);
    EXPECT_TRUE(outcome.out.starts_with("unknown: neither a difference nor a confirmed proof")) << outcome.out;
}

TEST(CrossCheckOption, WhatIsWrongIsASentenceAndStatusTwo) {
    if (backends().empty()) GTEST_SKIP() << "this build has no solver";
    const struct {
        std::vector<std::string> command;
        const char* says;
    } wrong[] = {
        {{"prove", ten, twelve, "--cross-check", "z4"}, "there is no solver 'z4'"},
        {{"prove", "--cross-check", ten, twelve, "--json"}, "--cross-check without a name stands behind the units"},
        {{"prove", ten, twelve, "--cross-check", backends()[0].name}, "the second must be another"},
    };
    for (const auto& w : wrong) {
        const Outcome outcome = discern(w.command);
        EXPECT_EQ(outcome.status, 2) << w.says;
        EXPECT_NE(outcome.err.find(w.says), std::string::npos) << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
}

TEST(Synth, SaysThatThereAreFewerKindsThanWanted) {
    const Outcome outcome = discern({"synth", none, two, "-n", "5"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(lines(outcome.out).size(), 3u) << outcome.out; // the header and two vectors
    EXPECT_NE(outcome.err.find("2 of 5 vectors"), std::string::npos) << outcome.err;
    EXPECT_EQ(discern({"synth", none, two, "-n", "2"}).err, "");
}

} // namespace
} // namespace discern::testing
