// discern measure: errors against the exact result.
#include "cli/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

TEST(MeasureCommand, AllFormsOfTwoUnits) {
    const Folder folder;
    const std::string svg = folder.path("errors.svg");
    const Outcome outcome = discern({"measure", volta, turing, "-n", "10000", "--family", "normal", "--family",
                                     "cancelling", "--json", "--svg", svg});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto answer = nlohmann::json::parse(outcome.out);
    ASSERT_EQ(answer["families"].size(), 2u);
    for (const auto& family : answer["families"]) {
        ASSERT_EQ(family["units"].size(), 2u);
        for (const auto& unit : family["units"]) {
            EXPECT_EQ(unit["dots"], 10000);
            std::uint64_t counted = unit["ulp"]["histogram"]["below"].get<std::uint64_t>() +
                                    unit["ulp"]["histogram"]["above"].get<std::uint64_t>() +
                                    unit["special"].get<std::uint64_t>();
            for (const auto& cell : unit["ulp"]["histogram"]["counts"]) counted += cell.get<std::uint64_t>();
            EXPECT_EQ(counted, 10000u);
        }
    }
    const std::string picture = read_file(svg);
    EXPECT_TRUE(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    EXPECT_NE(picture.find("cancelling: errors in ulp"), std::string::npos);
    const Outcome text = discern({"measure", volta, turing, "-n", "10000"});
    EXPECT_NE(text.out.find("normal: 10000 dot products of 4 products"), std::string::npos) << text.out;
    EXPECT_EQ(text.out, discern({"measure", volta, turing, "-n", "10000", "--threads", "1"}).out);
}

TEST(MeasureCommand, WithinLimitsOfValues) {
    const auto answer = nlohmann::json::parse(
        discern({"measure", volta, "-n", "5000", "--family", "uniform_bits", "--values", "a:1..1,b:0..2", "--json"})
            .out);
    EXPECT_EQ(answer["families"][0]["units"][0]["dots"], 5000);
}

TEST(MeasureCommand, WrongInputIsOneSentence) {
    for (const auto& [arguments, part] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{volta, "--family", "normale"}, "normal, cancelling"},
             {{volta, "x86/fma.f32"}, "cannot be compared"},
             {{volta, "--spread", "a:1", "--family", "normal"}, "--spread"},
             {{volta, "--spread", "z:1"}, "such as a:1000"},
             {{volta, "--chain", "0"}, "--chain"},
             {{"volta/mma.m8n8k4.f32.f16.f16.f16", "--chain", "2"}, "chain"},
             {{"ampere/mma.m8n8k4.f64.f64.f64.f64"}, "f64"},
             {{volta, "-n", "0"}, "-n"},
             {{}, "UNIT"}}) {
        std::vector<std::string> all = {"measure"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        const Outcome outcome = discern(all);
        EXPECT_EQ(outcome.status, 2) << part;
        EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    }
}

} // namespace
} // namespace discern::testing
