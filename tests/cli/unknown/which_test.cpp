// Point 1 of a good first hour, as a user types it.
#include "cli/program.hpp"
#include "models/catalogue.hpp"
#include "models/measured_sets.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace discern::testing {
namespace {

using nlohmann::json;

TEST(WhichCommand, ATargetIsAsked) {
    const Outcome outcome = discern({"which", "model:" + volta, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    const json answer = json::parse(outcome.out);
    ASSERT_EQ(answer["consistent"].size(), 1u);
    EXPECT_EQ(answer["consistent"][0][0], volta);
    EXPECT_EQ(answer["near"].size(), 0u);
    EXPECT_GT(answer["vectors"], 100);
    EXPECT_TRUE(discern({"which", "model:" + volta}).out.find("consistent with " + volta) != std::string::npos);
}

TEST(WhichCommand, NoneFits) {
    const Outcome outcome = discern({"which", "model:" + volta + "{F=20}", "--json"});
    EXPECT_EQ(outcome.status, 1) << outcome.out << outcome.err;
    const json answer = json::parse(outcome.out);
    EXPECT_EQ(answer["consistent"].size(), 0u);
    ASSERT_GT(answer["near"].size(), 1u);
    int before = 0;
    for (const json& near : answer["near"]) {
        EXPECT_GE(near["mismatches"], before);
        before = near["mismatches"];
        // What refutes it does: the unit's own result is the one that is said, and is not what was observed.
        ASSERT_GT(near["refuted_by"].size(), 0u);
        for (const json& vector : near["refuted_by"]) {
            const auto joined = [&](const char* field) {
                std::string text;
                for (const std::string word : vector[field]) text += (text.empty() ? "" : ",") + word;
                return text;
            };
            const Outcome evaluated = discern({"eval", near["unit"].get<std::string>(), "--a", joined("a"), "--b",
                                               joined("b"), "--c", vector["c"].get<std::string>()});
            EXPECT_NE(last_line(evaluated.out).find(vector["expected"].get<std::string>()), std::string::npos);
            EXPECT_NE(vector["expected"], vector["d"]);
        }
    }
    const Outcome with_space = discern({"which", "model:" + volta + "{F=20}", "--space", volta + "{F={18..22}}"});
    EXPECT_EQ(with_space.status, 0) << with_space.out;
    EXPECT_NE(with_space.out.find("consistent with " + volta + "{F=20}"), std::string::npos) << with_space.out;
}

TEST(WhichCommand, SeveralFitFewVectors) {
    const std::string file = "0000 0000 0000 0000 0000 0000 0000 0000 3f800000 3f800000\n";
    const Outcome outcome = discern({"which", "-", "--formats", "f16,f16,f32,f32", "--K", "4", "--json"}, file);
    EXPECT_EQ(outcome.status, 3) << outcome.out << outcome.err;
    const json answer = json::parse(outcome.out);
    EXPECT_GT(answer["consistent"].size(), 3u);
    EXPECT_EQ(answer["vectors"], 1);
    // Units of one class, and no others, have the same arithmetic, but for their NaN, of which the vector has none.
    std::set<std::uint64_t> hashes;
    for (const json& same : answer["consistent"]) {
        std::set<std::uint64_t> own;
        for (const std::string name : same) {
            Unit unit = resolve_unit(name);
            unit.nan = {};
            own.insert(arithmetic_hash(unit));
        }
        EXPECT_EQ(own.size(), 1u);
        EXPECT_TRUE(hashes.insert(*own.begin()).second);
    }
}

TEST(WhichCommand, WrongWordsAreTrouble) {
    for (const auto& [arguments, complaint] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"which", "no-such-file"}, "there is no file 'no-such-file', and no such target"},
             {{"which", "exec:true"}, "does not say its formats"},
             {{"which", "-", "--K", "4"}, "--formats and --K belong together"},
             {{"which", "-", "--formats", "f16,f16,f32,f32", "--K", "4"}, "empty"},
             {{"which", "model:" + volta, "--space", "x86/dpps"}, "--space: x86/dpps is"}}) {
        const Outcome outcome = discern(arguments);
        EXPECT_EQ(outcome.status, 2) << complaint;
        EXPECT_NE(outcome.err.find(complaint), std::string::npos) << outcome.err;
    }
    const Outcome inputs = discern({"which", "-"}, "{\"discern\":1,\"unit\":\"" + volta +
                                                       "\"}\n{\"a\":[\"3c00\",\"3c00\",\"0000\",\"0000\"],\"b\":["
                                                       "\"3c00\",\"4000\",\"0000\",\"0000\"],\"c\":\"3f800000\"}\n");
    EXPECT_EQ(inputs.status, 2);
    EXPECT_NE(inputs.err.find("field d: missing; which compares"), std::string::npos) << inputs.err;
}

TEST(WhichCommand, MeasuredSetsHaveTheirUnitInTheFirstClass) {
    const std::string shared = shared_folder("hardware");
    if (shared.empty()) GTEST_SKIP() << "the measured sets are not beside the repository";
    for (const MeasuredSet& set : measured_sets()) {
        const Unit unit = resolve_unit(set.unit);
        const auto name = [](FormatId id) { return std::string(format(id).name); };
        const auto start = std::chrono::steady_clock::now();
        const Outcome outcome = discern({"which", shared + "/" + set.name() + ".csv", "--formats",
                                         name(unit.a) + "," + name(unit.b) + "," + name(*unit.c) + "," + name(unit.d),
                                         "--K", std::to_string(unit.K), "--json"});
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        EXPECT_LT(seconds, 1) << set.name();
        ASSERT_NE(outcome.status, 2) << set.name() << outcome.err;
        const json answer = json::parse(outcome.out);
        ASSERT_GT(answer["consistent"].size(), 0u) << set.name();
        EXPECT_EQ(arithmetic_hash(resolve_unit(answer["consistent"][0][0].get<std::string>())), arithmetic_hash(unit))
            << set.name() << ": " << answer["consistent"][0][0] << " is before " << set.unit;
    }
}

} // namespace
} // namespace discern::testing
