// discern measure FILE: errors of results that were observed.
#include "cli/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

using nlohmann::json;

const std::string fma_csv = "a,b,c,d\n"
                            "1,1,5.9604644775390625e-08,1\n" // 1 + 2^-24: half an ulp below
                            "1,1,0,1.00000023841857910\n"    // two ulp above
                            "1,1,-1,0\n"                     // exact
                            "1,1,0,1\n"                      // exact
                            "3e38,3e38,0,inf\n";             // beyond the largest number

TEST(MeasureOwnData, OfAFileByHand) {
    const Outcome outcome =
        discern({"measure", "-", "--formats", "f32,f32,f32,f32", "--json", "--digits", "exact"}, fma_csv);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json answer = json::parse(outcome.out);
    ASSERT_EQ(answer["families"].size(), 1u);
    const json& own = answer["families"][0]["units"][0];
    EXPECT_EQ(own["unit"], "d of standard input");
    EXPECT_EQ(own["dots"], 5);
    EXPECT_EQ(own["special"], 1);
    EXPECT_EQ(own["correct"], 3);
    EXPECT_EQ(own["ulp"]["mean"], (0.5 + 2) / 4);
    EXPECT_EQ(own["ulp"]["max"], 2);
    EXPECT_EQ(own["ulp"]["bias"], (2 - 0.5) / 4);
    EXPECT_EQ(own["ulp"]["quantiles"]["0.5"], 0);
    EXPECT_EQ(own["ulp"]["quantiles"]["0.9"], 2);
    EXPECT_EQ(own["relative"]["without"], 1);
}

TEST(MeasureOwnData, UnitsOnItsInputsBesideWhatItHas) {
    const Folder folder;
    const std::string a100 = "ampere/mma.m16n8k16.f32.f16.f16.f32";
    const std::string file = folder.path("a100.jsonl");
    discern({"generate", a100, "-n", "200", "--family", "normal", "--results", "-o", file});
    const Outcome outcome = discern({"measure", "A100", "H100/f16", file, "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    json own = json::parse(outcome.out)["families"][0];
    ASSERT_EQ(own["units"].size(), 3u);
    EXPECT_EQ(own["units"][1]["unit"], a100);
    // The file has what an A100 gives; an H100 has smaller errors.
    own["units"][0]["unit"] = a100;
    EXPECT_EQ(own["units"][0], own["units"][1]);
    EXPECT_LT(own["units"][2]["ulp"]["mean"], own["units"][1]["ulp"]["mean"]);
    EXPECT_EQ(own["nearer"]["neither"], 200);
    // Without results in the file, the units alone are measured.
    const std::string inputs = discern({"generate", a100, "-n", "200", "--family", "normal"}).out;
    json units = json::parse(discern({"measure", a100, "-", "--json"}, inputs).out)["families"][0]["units"];
    ASSERT_EQ(units.size(), 1u);
    EXPECT_EQ(units[0], own["units"][1]);
}

TEST(MeasureOwnData, FewDigitsAreSaid) {
    const Outcome outcome =
        discern({"measure", "-", "--formats", "f32,f32,f32,f32", "--digits", "3"}, "a,b,c,d\n1,1,0,1.01\n1,1,0,1.02\n");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.err.find("d has 3 digits (f32 needs 9); what was printed may be up to "), std::string::npos)
        << outcome.err;
}

TEST(MeasureOwnData, WrongInputIsOneSentence) {
    const std::string vectors = "{\"discern\":1,\"unit\":\"x86/fma.f32\"}\n"
                                "{\"a\":[\"3f800000\"],\"b\":[\"3f800000\"],\"c\":\"00000000\"}\n";
    for (const auto& [arguments, part] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"-"}, "there is no d, and no UNIT is named"},
             {{"nothing.csv"}, "there is no file 'nothing.csv'"},
             {{"x86/fma.f32", "-", "-n", "5"}, "-n is of random inputs"},
             {{"x86/fma.f32", "--formats", "f32,f32,f32,f32"}, "are of a FILE"},
             {{"A100/f16", "-"}, "K"},
             {{"-", "--a", "A.npy"}, "not in both"}}) {
        std::vector<std::string> all = {"measure"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const Outcome outcome = discern(all, vectors);
        EXPECT_EQ(outcome.status, 2) << part;
        EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    }
}

} // namespace
} // namespace discern::testing
