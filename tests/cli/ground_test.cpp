// What each answer rests on, as commands say it in JSON: the same for what is asked, stored and asked again.
#include "program.hpp"

#include "analysis/store/store.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

using Json = nlohmann::json;

// A sum that is rounded once, or of which a part is rounded to a format that holds it: no term folds, and a solver sees
// it.
const std::string exact_sum = "e2m1*e2m1->f16 K=3 : round[f16 rne](fuse[exact](p*))",
                  by_part = "e2m1*e2m1->f16 K=3 : round[f16 rne](fuse[exact](p0, round[f16 rne](fuse[exact](p1, p2))))",
                  folded = "e2m1*e2m1->f16 K=3 : round[f16 rne](fuse[F=40 rz](p*))",
                  truncated_sum = "e2m1*e2m1->f16 K=3 : round[f16 rz](fuse[F=0 rz](p*))";

Json json_of(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.emplace_back("--json");
    const Outcome outcome = discern(arguments, input);
    EXPECT_NE(outcome.status, 2) << outcome.err;
    return Json::parse(outcome.out);
}

TEST(GroundOfAnswers, ProveAndSynth) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    for (const char* command : {"prove", "synth"}) {
        EXPECT_EQ(json_of({command, exact_sum, exact_sum})["ground"], "structure");
        EXPECT_EQ(json_of({command, exact_sum, folded})["ground"], "terms");
        EXPECT_EQ(json_of({command, exact_sum, by_part})["ground"], "solver");
        EXPECT_TRUE(json_of({command, exact_sum, truncated_sum})["ground"].is_null()) << "its vector shows it";
        EXPECT_TRUE(json_of({command, exact_sum, by_part, "--solver", "random"})["ground"].is_null()) << "unknown";
    }
}

TEST(GroundOfAnswers, LimitsAreSaidWhereTermsFoldOnThem) {
    const Outcome text = discern({"prove", exact_sum, folded, "--finite"});
    EXPECT_EQ(text.status, 0);
    EXPECT_TRUE(text.out.starts_with("equivalent on these inputs: ")) << text.out;
    EXPECT_TRUE(discern({"prove", exact_sum, exact_sum, "--finite"}).out.starts_with("equivalent: "))
        << "of all inputs";
}

TEST(GroundOfAnswers, EachClassOfASuiteHasTheWeakestOfItsUnits) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const Json suite = json_of({"suite", exact_sum, folded, by_part, truncated_sum, truncated_sum});
    ASSERT_EQ(suite["classes"].size(), 2u) << suite;
    EXPECT_EQ(suite["grounds"], Json({"solver", "structure"}));
    EXPECT_EQ(suite["ground"], "solver");
    for (const Json& pair : suite["pairs"]) {
        EXPECT_EQ(pair.contains("ground"), pair["relation"] != "different") << pair;
        if (pair["relation"] == "same tree") {
            EXPECT_EQ(pair["ground"], "structure");
        }
    }
    const Json apart = json_of({"suite", exact_sum, truncated_sum});
    EXPECT_EQ(apart["grounds"], Json({nullptr, nullptr}));
    EXPECT_TRUE(apart["ground"].is_null());
}

TEST(GroundOfAnswers, AStoreKeepsThem) {
    if (!can_prove() || !Store::available()) GTEST_SKIP() << "this build has no solver, or no SQLite";
    const Folder folder;
    const std::string store = folder.path("store");
    const Json asked = json_of({"suite", exact_sum, folded, by_part, truncated_sum, "--store", store});
    const Json again = json_of({"suite", exact_sum, folded, by_part, truncated_sum, "--store", store});
    EXPECT_GT(again["stored"], 0);
    for (const char* key : {"classes", "grounds", "ground", "by"}) EXPECT_EQ(again[key], asked[key]) << key;
    EXPECT_EQ(again["ground"], "solver");
    // One more unit makes another cell, whose questions are found one by one.
    const std::string third =
        "e2m1*e2m1->f16 K=3 : round[f16 rne](fuse[exact](p0, round[f32 rne](fuse[exact](p1, p2))))";
    const Json more = json_of({"suite", exact_sum, folded, by_part, truncated_sum, third, "--store", store});
    EXPECT_EQ(more["ground"], "solver");
    for (const Json& by : more["by"]) EXPECT_NE(by, "") << more["by"];
}

TEST(GroundOfAnswers, AuditHasThoseOfItsGroups) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const std::string space = volta + "{carry={2|3|wide},floor={none|-140}}";
    const Json report = json_of({"audit", "-", "--space", space}, discern({"generate", volta, "-n", "5"}).out);
    ASSERT_FALSE(report["classes"].empty());
    for (const Json& one : report["classes"]) {
        ASSERT_EQ(one["grounds"].size(), one["groups"].size());
        for (std::size_t i = 0; i < one["groups"].size(); ++i)
            EXPECT_EQ(one["grounds"][i].is_null(), one["groups"][i].size() == 1) << one;
    }
    EXPECT_EQ(report["ground"], "terms");
}

TEST(GroundOfAnswers, IdentifyHasThoseOfWhatIsTheSameAndOfNames) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const Json found = json_of(
        {"identify", "model:" + volta, "--space", volta + "{carry={3|wide},floor={none|-140}}", "--validate", "2000"});
    EXPECT_EQ(found["verdict"], "class") << found;
    EXPECT_EQ(found["grounds"]["proved"].size(), found["proved"].size());
    EXPECT_EQ(found["grounds"]["names"].size(), found["names"].size());
    EXPECT_EQ(found["ground"], "terms");
}

TEST(GroundOfAnswers, SameBits) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const std::string fma = "x86/fma.f32";
    const auto ground = [&](const std::string& one, const std::string& two) {
        return json_of({"same-bits", fma + one, fma + two, "--K", "4", "-n", "200"})["ground"];
    };
    EXPECT_EQ(ground("@[split=2]", "@[split=2]"), "structure");
    EXPECT_TRUE(ground("@[split=2]", "@[lanes=2]").is_null());
    EXPECT_TRUE(ground("@[]", "@[split=4 from=zero]").is_null());
    EXPECT_EQ(ground("@[split=2]", "@[slice=2 run=2]"), "structure");
    const Json units = json_of({"same-bits", exact_sum, folded});
    EXPECT_EQ(units["ground"], "terms") << units;
}

TEST(GroundOfAnswers, Compare) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const Json same =
        json_of({"compare", "one-word", "mma(word(a), word(b), c)", "--on", volta, "-n", "100", "--timeout", "5"});
    for (const Json& one : same["algorithms"]) EXPECT_EQ(one["never_farther"]["ground"], "terms");
}

} // namespace
} // namespace discern::testing
