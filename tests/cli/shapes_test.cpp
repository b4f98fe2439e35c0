// Questions about units of different shapes, as a person asks them: what was assumed is said everywhere, and vectors
// can be read by the lines of the notation that stand beside them.
#include "program.hpp"

#include "models/notation.hpp"
#include "models/vectors.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

const std::string fp8 = "rtxblackwell/mma.m16n8k32.f32.e4m3.e4m3.f32",
                  blocks = "rtxblackwell/mma.m16n8k32.block32.f32.e4m3.e4m3.f32.ue8m0",
                  half = "rtxblackwell/mma.m16n8k16.f32.f16.f16.f32";

void expect_part(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Shapes, ScalesOfOne) {
    const Outcome same = discern({"prove", fp8, blocks});
    EXPECT_EQ(same.status, 0) << same.err;
    expect_part(same.out, "equivalent: ");
    expect_part(same.out, "assumed: " + blocks + ": its scales are 1");
    const Outcome said = discern({"prove", fp8, blocks + "{scale=1}"});
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(said.out.find("assumed"), std::string::npos) << said.out;
    EXPECT_EQ(discern({"prove", fp8, blocks, "--sa", "81", "--sb", "7d"}).status, 0);
    expect_part(discern({"prove", fp8, blocks, "--sa", "81"}).err, "whose product is 1 are right");
    expect_part(discern({"prove", fp8, fp8 + "{F=20}", "--sa", "81"}).err, "--sa: neither unit has scales");
    expect_part(discern({"prove", fp8, blocks, "--sa", "ff"}).err, "is NaN");
    expect_part(discern({"show", fp8 + "{scale=1}"}).err, "which has no scales");
    expect_part(discern({"show", blocks + "{scale=2}"}).err, "1 is right");
}

TEST(Shapes, ConstantScalesOfBothAreLimits) {
    const std::string other = blocks + "{F=20}";
    const auto vector =
        nlohmann::json::parse(discern({"prove", blocks, other, "--sa", "81", "--json"}).out).at("vectors").at(0);
    EXPECT_EQ(vector.at("sa").dump(), "[\"81\"]");
}

// The vectors are those of the lines beside them, with the results that are shown.
TEST(Shapes, VectorsCanBeReadAgain) {
    const Folder folder;
    const std::string file = folder.path("differ.jsonl");
    ASSERT_EQ(discern({"synth", fp8, half, "-n", "3", "-o", file}).status, 1);
    std::ifstream in(file);
    std::string header, line;
    std::getline(in, header);
    const auto said = nlohmann::json::parse(header);
    ASSERT_EQ(said.at("read_as").size(), 2u);
    EXPECT_EQ(said.at("assumed").at(1), half + ": a and b are e4m3, converted to f16, which has all its numbers");
    for (std::size_t side = 0; side < 2; ++side) {
        const Outcome evaluated = discern({"eval", said.at("read_as").at(side).get<std::string>(), file});
        ASSERT_EQ(evaluated.status, 0) << evaluated.err;
        std::ifstream again(file);
        std::getline(again, header);
        for (const std::string& result : lines(evaluated.out)) {
            const auto object = nlohmann::json::parse(result);
            if (!object.contains("a")) continue;
            std::getline(again, line);
            EXPECT_EQ(object.at("d"), nlohmann::json::parse(line).at("d").at(side));
        }
    }
    const Outcome explained = discern({"explain", fp8, half, file, "--json"});
    EXPECT_EQ(explained.status, 0) << explained.err;
    EXPECT_EQ(nlohmann::json::parse(explained.out).at("assumed").size(), 2u);
    expect_part(discern({"explain", fp8, half, file}).out, "assumed: " + half);
}

TEST(Shapes, LongerUnitsAreChained) {
    const std::string eight = "ampere/mma.m16n8k8.f32.f16.f16.f32", sixteen = "ampere/mma.m16n8k16.f32.f16.f16.f32";
    expect_part(discern({"prove", eight, sixteen}).out, "K is 16, 2 instructions of 8 that are chained through c");
    const Outcome kernels = discern({"same-bits", eight, sixteen, "--json"});
    EXPECT_EQ(kernels.status, 0) << kernels.err;
    EXPECT_EQ(nlohmann::json::parse(kernels.out).at("assumed").size(), 1u);
    EXPECT_EQ(discern({"same-bits", fp8, blocks, "--K", "4096"}).status, 0);
    const Outcome differ = discern({"same-bits", fp8, half, "--K", "4096", "-n", "100"});
    EXPECT_EQ(differ.status, 1) << differ.err;
    expect_part(differ.out, "assumed: " + half + ": a and b are e4m3");
    expect_part(discern({"same-bits", fp8, half, "--K", "40"}).err, "a multiple of 32 is right");
}

TEST(Shapes, ResultsOfOtherFormatsOnRequest) {
    const std::string one = "x86/fma.f32", other = "ampere/mma.m16n8k8.f16.f16.f16.f16";
    expect_part(discern({"prove", one, other}).err, "--d f16:rne compares");
    const Outcome rounded = discern({"prove", one, other, "--d", "f16:rne"});
    EXPECT_EQ(rounded.status, 1) << rounded.err;
    expect_part(rounded.out, one + ": d, which is f32, is rounded to f16 (rne)");
    for (const char* wrong : {"f16", "f16:up", "f16:rne split=2", "what:rne"})
        EXPECT_EQ(discern({"prove", one, other, "--d", wrong}).status, 2) << wrong;
}

TEST(Shapes, OfSuites) {
    const Outcome suite =
        discern({"suite", "ampere/mma.m16n8k8.f32.f16.f16.f32", "turing/mma.m16n8k8.f32.f16.f16.f32",
                 "ampere/mma.m16n8k16.f32.f16.f16.f32", "hopper/wgmma.m64n8k16.f32.f16.f16", "--json"});
    EXPECT_EQ(suite.status, 0) << suite.err;
    const auto said = nlohmann::json::parse(suite.out);
    EXPECT_EQ(said.at("assumed").size(), 2u);
    EXPECT_EQ(said.at("classes").size(), 2u);
    expect_part(discern({"smt2", fp8, half}).out, "assumed: " + half);
}

TEST(Shapes, OfCertificates) {
    const Folder folder;
    const std::string made = folder.path("certificate");
    ASSERT_EQ(discern({"prove", "ampere/mma.m16n8k8.f32.f16.f16.f32", "ampere/mma.m16n8k16.f32.f16.f16.f32",
                       "--certificate", made})
                  .status,
              0);
    std::ostringstream claim;
    claim << std::ifstream(made + "/claim.json").rdbuf();
    expect_part(nlohmann::json::parse(claim.str()).at("assumed_of_units").dump(), "2 instructions of 8");
}

} // namespace
} // namespace discern::testing
