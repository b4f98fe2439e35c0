// discern property: what a unit can and cannot do.
#include "program.hpp"

#include "models/catalogue.hpp"
#include "models/hex.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>

namespace discern::testing {
namespace {

const std::string fp8_fma = "e4m3*e4m3+f16->f16 K=2 L=1 : round[f16 rne](fuse[exact](p*, c))";
const std::string cut = "e4m3*e4m3+f16->f16 K=4 L=2 : round[f16 rz](fuse[F=9 rz](p*, c))";

Outcome property(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "property");
    return discern(arguments);
}

TEST(PropertyCommand, ARefutationIsAVectorThatEvalRepeats) {
    const Outcome outcome = property({cut, "order-across-blocks", "--json"});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    const auto answer = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(answer["unit"], cut);
    const auto& one = answer["properties"][0];
    EXPECT_EQ(one["verdict"], "refuted");
    std::vector<nlohmann::json> results;
    for (const char* which : {"vector", "other"}) {
        const auto& v = one[which];
        const auto list = [](const nlohmann::json& patterns) {
            std::string text;
            for (const auto& pattern : patterns) text += (text.empty() ? "" : ",") + pattern.get<std::string>();
            return text;
        };
        const auto evaluated = nlohmann::json::parse(
            discern({"eval", cut, "--a", list(v["a"]), "--b", list(v["b"]), "--c", v["c"], "--json"}).out);
        EXPECT_EQ(evaluated["d"], v["d"]) << which;
        results.push_back(v["d"]);
    }
    EXPECT_NE(results[0], results[1]);
    const Outcome text = property({cut, "order-across-blocks"});
    EXPECT_EQ(text.status, 1);
    EXPECT_NE(text.out.find("order-across-blocks  refuted"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("    --a "), std::string::npos) << text.out;
    EXPECT_EQ(text.out, property({cut, "order-across-blocks"}).out) << "the same seed, the same vector";
}

TEST(PropertyCommand, StatusesAndWhatDoesNotApply) {
    const Outcome proved = property({fp8_fma, "swap"});
    EXPECT_EQ(proved.status, 0) << proved.err;
    EXPECT_NE(proved.out.find("; by an argument alone (a product has no first factor)"), std::string::npos)
        << proved.out;
    const Outcome none = property({fp8_fma, "order-in-block"});
    EXPECT_EQ(none.status, 0) << none.err;
    EXPECT_NE(none.out.find("a block has one product"), std::string::npos) << none.out;
    const Outcome unknown = property({"x86/dpps", "negation", "--timeout", "0"});
    EXPECT_NE(unknown.status, 2) << unknown.err;
    const auto all = nlohmann::json::parse(property({fp8_fma, "--json", "--timeout", "0"}).out);
    EXPECT_EQ(all["properties"].size() + all["not_asked"].size(), 14u);
}

TEST(PropertyCommand, EachProofSaysWhatItRestsOn) {
    const auto grounds = [](const std::vector<std::string>& arguments) {
        std::vector<std::string> all = arguments;
        all.emplace_back("--json");
        std::map<std::string, nlohmann::json> by_name;
        const auto answer = nlohmann::json::parse(property(all).out);
        for (const auto& one : answer["properties"]) by_name[one["name"]] = one;
        return by_name;
    };
    const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32";
    auto of_tree = grounds({volta, "swap"}), bound = grounds({volta, "error-of-terms"}),
         of_terms = grounds({"x86/fma.f32", "max-error"}), refuted = grounds({volta, "monotonic"}),
         asked = grounds({volta, "order-in-block", "--no-theorems"});
    EXPECT_EQ(of_tree["swap"]["ground"], "theorem no-first-factor");
    EXPECT_EQ(bound["error-of-terms"]["ground"], "argument");
    EXPECT_EQ(bound["error-of-terms"]["bound"], "losses-of-steps");
    EXPECT_EQ(of_terms["max-error"]["ground"], "theorem dot_unit_correct");
    EXPECT_TRUE(refuted["monotonic"]["ground"].is_null());
    EXPECT_EQ(asked["order-in-block"]["ground"], "terms");
    EXPECT_NE(property({volta, "error-of-terms"}).out.find("; by an argument alone (the tree: what each step"),
              std::string::npos);
    EXPECT_EQ(property({"x86/fma.f32", "max-error"}).out.find("alone"), std::string::npos) << "terms are needed, too";
}

// A person reads no thousand patterns: they are in the JSON.
TEST(PropertyCommand, ALongVectorIsInTheJson) {
    const std::string start = "hopper/wgmma.m64n8k32.f32.e4m3.e4m3{K=";
    for (const bool is_long : {false, true}) {
        const std::string unit = start + (is_long ? "96}" : "64}");
        const Outcome outcome = property({unit, "order-across-blocks"});
        EXPECT_EQ(outcome.status, 1) << outcome.err;
        EXPECT_EQ(outcome.out.find("--a ") == std::string::npos, is_long) << outcome.out;
        EXPECT_EQ(outcome.out.find("a vector of 96 products, which --json has,\n        gives ") != std::string::npos,
                  is_long)
            << outcome.out;
        const auto all = nlohmann::json::parse(property({unit, "order-across-blocks", "--json"}).out);
        EXPECT_EQ(all["properties"][0]["vector"]["a"].size(), is_long ? 96u : 64u);
    }
}

TEST(PropertyCommand, WrongInputIsOneSentence) {
    for (const auto& [arguments, part] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{fp8_fma, "monotone"}, "did you mean monotonic"},
             {{"hopper/none"}, "hopper"},
             {{}, "UNIT"},
             {{fp8_fma, "swap", "--cross-check", "magic"}, "magic"}}) {
        const Outcome outcome = property(arguments);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    }
}

} // namespace
} // namespace discern::testing
