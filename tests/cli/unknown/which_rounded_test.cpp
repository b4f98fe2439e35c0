// `which` where d is narrower than any unit's, as libraries return it: results in the type of the operands.
#include "cli/program.hpp"
#include "models/format.hpp"
#include "models/hex.hpp"
#include "models/vectors.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace discern::testing {
namespace {

using nlohmann::json;

const std::string bf16_unit = "ampere/mma.m16n8k16.f32.bf16.bf16.f32";

/// What the kernel gives for random numbers, as a table of a, b and d, with a c that is +0 everywhere if it is wanted.
std::string rounded_results(const std::string& kernel, const std::string& c = "") {
    const Outcome inputs =
        discern({"generate", bf16_unit, "-n", "400", "--family", "normal", "--values", "c:0..0", "--seed", "3"});
    const std::string header = R"({"discern":1,"a":"bf16","b":"bf16","c":"f32","d":"bf16","K":16})";
    const Outcome results = discern({"eval", kernel, "-"}, header + inputs.out.substr(inputs.out.find('\n')));
    std::istringstream in(results.out);
    VectorReader reader(in, "made");
    std::string text = c.empty() ? "a,b,d\n" : "a,b,c,d\n";
    std::size_t count = 0;
    for (Vector vector; reader.next(vector); ++count) {
        for (const auto* list : {&vector.a, &vector.b}) {
            for (const std::uint64_t bits : *list) text += to_hex(format(FormatId::bf16), bits) + " ";
            text += ",";
        }
        text += c.empty() ? "" : c + ",";
        text += to_hex(format(FormatId::bf16), vector.d.front()) + "\n";
    }
    EXPECT_EQ(count, 400u) << results.err;
    return text;
}

bool names(const json& answer, const std::string& unit) {
    return std::ranges::any_of(answer["consistent"], [&](const json& same) {
        return std::ranges::any_of(same, [&](const json& one) { return one == unit; });
    });
}

TEST(WhichRounded, UnitsWithAWiderResultAreTried) {
    const std::string kernel = bf16_unit + "@[K=16 d=bf16:rne]";
    for (const auto& [c, formats] : {std::pair("", "bf16,bf16,-,bf16"), std::pair("0000", "bf16,bf16,bf16,bf16")}) {
        const std::string text = rounded_results(kernel, c);
        const Outcome outcome = discern({"which", "-", "--formats", formats, "--patterns", "--json"}, text);
        ASSERT_NE(outcome.status, 2) << outcome.err;
        const json answer = json::parse(outcome.out);
        EXPECT_TRUE(names(answer, kernel)) << outcome.out;
        const std::string rounding = "d of units with a wider one is rounded to bf16 (rne)";
        EXPECT_NE(std::ranges::find(answer["assumed"], json(rounding)), answer["assumed"].end()) << outcome.out;
        const Outcome said = discern({"which", "-", "--formats", formats, "--patterns"}, text);
        EXPECT_NE(said.out.find("assumed: " + rounding + "\n"), std::string::npos) << said.out;
        EXPECT_NE(said.out.find(kernel), std::string::npos) << said.out;
        EXPECT_EQ(said.out.find("assumed: c is +0\n") != std::string::npos, std::string(c).empty()) << said.out;
    }
    // Every name that is printed gives these results.
    const Outcome outcome =
        discern({"which", "-", "--formats", "bf16,bf16,-,bf16", "--patterns", "--json"}, rounded_results(kernel));
    std::size_t checked = 0;
    const json all = json::parse(outcome.out);
    for (const json& same : all["consistent"]) {
        const std::string text = rounded_results(same[0].get<std::string>());
        EXPECT_EQ(text, rounded_results(kernel)) << same[0];
        ++checked;
    }
    EXPECT_GT(checked, 0u);
}

TEST(WhichRounded, AnotherRoundingIsNotTaken) {
    const std::string text = rounded_results(bf16_unit + "@[K=16 d=bf16:rz]");
    const Outcome outcome = discern({"which", "-", "--formats", "bf16,bf16,-,bf16", "--patterns", "--json"}, text);
    EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
    const json answer = json::parse(outcome.out);
    EXPECT_EQ(answer["consistent"].size(), 0u);
    ASSERT_GT(answer["near"].size(), 0u);
    EXPECT_GT(answer["near"][0]["mismatches"], 10);
}

TEST(WhichRounded, NothingIsAssumedWhereAUnitFitsOrCIsNotZero) {
    const Outcome fits = discern(
        {"which", std::string(DISCERN_TEST_DATA) + "/golden/Ampere__mma.m16n8k16.f32.f16.f16.f32.jsonl", "--json"});
    EXPECT_FALSE(json::parse(fits.out).contains("assumed"));
    const Outcome with_c = discern({"which", "-", "--formats", "bf16,bf16,bf16,bf16", "--patterns", "--json"},
                                   rounded_results(bf16_unit + "@[K=16 d=bf16:rne]", "3f80"));
    EXPECT_FALSE(json::parse(with_c.out).contains("assumed")) << with_c.out;
}

} // namespace
} // namespace discern::testing
