// The points of a good first hour, each as a user meets it. What is long or has many cases is tested where it belongs;
// here stands one of each.
#include "program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace discern::testing {
namespace {

using nlohmann::json;

const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32";
const std::string cut_at_24 = volta + "{K=8,L=8,F=24}"; // what Turing, Ampere and Ada have

/// A recording of a unit, without its name.
std::string recording(const Folder& folder, const std::string& unit, const std::string& formats, int K,
                      const std::string& n) {
    std::string file = "{\"discern\":1," + formats + ",\"K\":" + std::to_string(K) + "}\n";
    for (const std::string& line : lines(discern({"generate", unit, "-n", n, "--results"}).out))
        if (line.find("\"discern\"") == std::string::npos) file += line + "\n";
    return folder.file("recorded", file);
}
const std::string f16_to_f32 = R"("a":"f16","b":"f16","c":"f32","d":"f32")";

TEST(FirstHour, Point01IdentifySaysWhatARecordingIsConsistentWith) {
    const Folder folder;
    const std::string file = recording(folder, cut_at_24, f16_to_f32, 8, "500");
    const Outcome which = discern({"which", file, "--json"});
    EXPECT_EQ(which.status, 0) << which.out << which.err;
    const Outcome text = discern({"identify", "replay:" + file, "--timeout", "1"});
    EXPECT_EQ(text.status, 3) << text.err;
    EXPECT_TRUE(text.out.starts_with("consistent with: turing/mma.m16n8k8.f32.f16.f16.f32, ampere/")) << text.out;
    EXPECT_EQ(text.out.find("not in the catalogue"), std::string::npos) << text.out;
}

TEST(FirstHour, Point02NearUnitsSayHowTheyFail) {
    const Outcome outcome =
        discern({"identify", "model:" + volta + "{F=20}", "--space", volta + "{F={22..24}}", "--json"});
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    const json near = json::parse(outcome.out)["near"];
    ASSERT_GT(near.size(), 1u);
    for (std::size_t i = 0; i < near.size(); ++i) {
        int sum = 0;
        for (const char* const kind : {"zero sign", "one ulp", "special", "other"})
            sum += near[i]["kinds"][kind].get<int>();
        EXPECT_EQ(near[i]["mismatches"], sum);
        EXPECT_GT(near[i]["of"], 500);
        EXPECT_EQ(discern({"show", near[i]["unit"]}).status, 0) << near[i]["unit"];
        if (i > 0) {
            EXPECT_GE(near[i]["mismatches"], near[i - 1]["mismatches"]);
        }
    }
}

TEST(FirstHour, Point02ProbePrintsNoTableThatItsOwnTreesRefute) {
    // The units themselves are in tests/probe.
    const std::string odd = "f16*f16+f32->f32 K=4 : round[f32 rne](fuse[exact](c, round[f32 rne](fuse[exact](p0, p1, "
                            "round[f32 rne](fuse[exact](p2, p3))))))";
    const Outcome refuted = discern({"probe", "model:" + odd});
    EXPECT_EQ(refuted.status, 0) << refuted.err;
    EXPECT_NE(refuted.out.find("none of the known readings gives all answers"), std::string::npos) << refuted.out;
    const Outcome fits = discern({"probe", "model:" + volta, "--json"});
    const json table = json::parse(fits.out);
    EXPECT_EQ(table["fresh"], 10'000);
    EXPECT_EQ(discern({"show", table["unit"]}).status, 0) << table["unit"];
}

TEST(FirstHour, Point03LoopsAreCalledByTheInstructionThatIsChained) {
    const std::string loop = "bf16*bf16+f32->f32 K=8 L=1 : round[f32 rne](fuse[exact](p*, c))";
    const Outcome outcome = discern({"which", "model:" + loop});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("consistent with x86/fma.f32, chained\n"), std::string::npos) << outcome.out;
    const json answer = json::parse(discern({"identify", "model:" + loop, "--timeout", "4", "--json"}).out);
    EXPECT_EQ(answer["names"][0], "x86/fma.f32, chained") << answer;
    EXPECT_EQ(discern({"show", answer["unit"]}).status, 0) << "the unit is one that every command takes";
    EXPECT_EQ(answer["consistent"][0][0], "x86/fma.f32, chained");
}

TEST(FirstHour, Point07ValuesAreLimitedEverywhere) {
    const std::string other = volta + "{F=24}";
    // Products of numbers of this size and c = 0 lose nothing at F = 23.
    const std::vector<std::string> limits = {"--values", "a:1..2,b:1..2,c:0..0", "--no-subnormals"};
    const auto with_limits = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), limits.begin(), limits.end());
        return discern(arguments);
    };
    EXPECT_EQ(discern({"prove", volta, other}).status, 1);
    const Outcome proved = with_limits({"prove", volta, other});
    EXPECT_EQ(proved.status, 0) << proved.out << proved.err;
    EXPECT_NE(proved.out.find("equivalent on these inputs"), std::string::npos) << proved.out;
    const Outcome found = discern({"synth", volta, other, "--values", "a:-1..1,b:-1..1,c:-1..1", "--no-subnormals"});
    EXPECT_EQ(found.status, 1) << found.err;
    const json vector = json::parse(last_line(found.out));
    for (const char* const field : {"a", "b"})
        for (const std::string word : vector[field]) {
            const auto magnitude = std::stoul(word, nullptr, 16) & 0x7fff;
            EXPECT_LE(magnitude, 0x3c00u) << word;
            EXPECT_TRUE(magnitude == 0 || magnitude >= 0x400) << word;
        }
    EXPECT_EQ(with_limits({"check", "model:" + volta, other, "-n", "2000", "--show", "0"}).status, 0);
    EXPECT_EQ(discern({"check", "model:" + volta, other, "-n", "2000", "--show", "0"}).status, 1);
    const Outcome suite = with_limits({"suite", volta, other, "--json"});
    EXPECT_EQ(suite.status, 0) << suite.err;
    EXPECT_EQ(json::parse(suite.out)["classes"].size(), 1u) << suite.out;
    const std::string script = with_limits({"smt2", volta, other}).out;
    EXPECT_GT(script.size(), discern({"smt2", volta, other}).out.size());
    for (const char* const command : {"synth", "prove", "suite", "smt2"})
        for (const char* const wrong : {"a:2..1", "a:1", "x:1..2", "a:one..two", "sa:0..1", "a:1.0001..1.0002"}) {
            const Outcome outcome = discern({command, volta, other, "--values", wrong});
            EXPECT_EQ(outcome.status, 2) << command << " " << wrong << outcome.out;
            EXPECT_TRUE(outcome.err.starts_with("discern: --values: ")) << outcome.err;
        }
    const Outcome certificate = with_limits({"prove", volta, other, "--certificate", "/nowhere"});
    EXPECT_EQ(certificate.status, 2);
}

} // namespace
} // namespace discern::testing
