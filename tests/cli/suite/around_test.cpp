// discern suite UNIT --around, and spaces where units are expected.
#include "cli/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

TEST(SuiteAround, TellsAUnitFromThoseAroundIt) {
    if (!can_prove()) GTEST_SKIP() << "no solver";
    const Folder folder;
    const std::string file = folder.path("around.jsonl");
    // A unit of few bits, of which every question is quick.
    const std::string unit = "e4m3*e4m3+f32->f32 K=2 : round[f32 rz](fuse[F=13 rz](p*, c))";
    const Outcome outcome = discern({"suite", unit, "--around", "-o", file});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(unit + "{F=14}"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(" with one other parameter, "), std::string::npos) << outcome.out;
    const auto answer = nlohmann::json::parse(discern({"suite", unit, "--around", "--json"}).out);
    // The unit itself passes its own tests; one around it that is of another class does not.
    const std::string other = answer["classes"][1][0];
    const Folder results;
    const auto run = [&](const std::string& what) {
        const std::string inputs = discern({"eval", what, file}).out;
        return discern({"eval", unit, "-", "--check"}, inputs).status;
    };
    EXPECT_EQ(run(unit), 0);
    EXPECT_EQ(run(other), 1) << other;
}

TEST(SuiteAround, ASpaceNeedsNoOption) {
    const std::string tree = "f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=23 rz](p*, c))";
    const Outcome with = discern({"suite", "--space", tree + "{F={20..22}}", "--json"}),
                  without = discern({"suite", tree + "{F={20..22}}", "--json"});
    EXPECT_EQ(without.status, with.status) << without.err;
    EXPECT_EQ(nlohmann::json::parse(without.out)["classes"], nlohmann::json::parse(with.out)["classes"]);
    // Beside a unit, too; elsewhere the error says who takes spaces.
    EXPECT_EQ(discern({"suite", volta, volta + "{F={20..22}}"}).status, 0);
    const Outcome elsewhere = discern({"show", volta + "{F={20..22}}"});
    EXPECT_EQ(elsewhere.status, 2);
    EXPECT_NE(elsewhere.err.find("--space"), std::string::npos) << elsewhere.err;
    EXPECT_EQ(discern({"suite", volta, turing, "--around"}).status, 2);
}

} // namespace
} // namespace discern::testing
