// discern identify: what it prints and writes, and its exit status.
#include "cli/program.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace discern::testing {
namespace {

TEST(IdentifyCommand, NamesAModelAndWritesWhatItAsked) {
    Folder folder;
    const std::string asked = folder.path("asked");
    const Outcome outcome = discern({"identify", "model:" + volta, "--validate", "2000", "--json", "-o", asked});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto answer = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(answer["unit"], volta);
    EXPECT_EQ(answer["verdict"], "class");
    EXPECT_EQ(answer["validated"], 2000);
    EXPECT_TRUE(answer["open"].empty());
    EXPECT_EQ(answer["observations"].get<std::size_t>() + 1, lines(read_file(asked)).size());
    EXPECT_EQ(discern({"eval", answer["tree"], asked, "--check"}).status, 0);
}

TEST(IdentifyCommand, LooksInAGivenSpaceOnly) {
    const Outcome found = discern(
        {"identify", "model:" + volta + "{F=25}", "--space", volta + "{F={23..26}}", "--validate", "2000", "--json"});
    EXPECT_EQ(found.status, 0) << found.err;
    EXPECT_EQ(nlohmann::json::parse(found.out)["verdict"], "unique");
    const Outcome outside =
        discern({"identify", "model:" + volta + "{F=27}", "--space", volta + "{F={23..26}}", "--validate", "2000"});
    EXPECT_EQ(outside.status, 1) << outside.err;
    EXPECT_EQ(outside.out.substr(0, 12), "unexplained:");
    const Outcome other = discern({"identify", "model:" + volta, "--space", "x86/dpps"});
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.err.find("--space: "), std::string::npos) << other.err;
}

TEST(IdentifyCommand, AReplayedFileLeavesOpenWhatItDoesNotAsk) {
    Folder folder;
    const std::string observed = folder.path("observed");
    const std::string sample = std::string(DISCERN_TEST_DATA) + "/golden/Volta__mma.m8n8k4.f32.f16.f16.f32.jsonl";
    const std::string vectors = folder.file("vectors", discern({"import", "golden", sample}).out);
    ASSERT_EQ(discern({"run", "model:" + volta, vectors, "-o", observed}).status, 0);
    const Outcome outcome = discern({"identify", "replay:" + observed, "--timeout", "1", "--json"});
    EXPECT_EQ(outcome.status, 3) << outcome.out << outcome.err;
    const auto answer = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(answer["verdict"], "open");
    // The report lists what is missing: vectors that are not in the file, on which remaining candidates differ.
    ASSERT_FALSE(answer["wanted"].empty()) << outcome.out;
    const Outcome text = discern({"identify", "replay:" + observed, "--timeout", "1"});
    EXPECT_NE(text.out.find("wanted: "), std::string::npos) << text.out;
}

} // namespace
} // namespace discern::testing
