// Suites in parts: what several machines settle is, merged, what one would have found.
#include "analysis/store/store.hpp"
#include "cli/program.hpp"
#include "solver/backend/backend.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace discern::testing::shards_test {
namespace {

const std::string space = "volta/mma.m8n8k4.f32.f16.f16.f32{F={19..24},carry={2|3|wide},floor={none|-133|-140},zero="
                          "{ignore|emin},align={rz|rne}}";

struct Shards : ::testing::Test {
    Folder folder;
    void SetUp() override {
        if (!Store::available() || backends().empty()) GTEST_SKIP() << "this build has no SQLite, or no solver";
    }
    std::string store(int shard) const { return folder.path("answers." + std::to_string(shard)); }
    nlohmann::json work(int shard, int count) const {
        const Outcome outcome = discern({"suite", "--space", space, "--store", store(shard), "--shard",
                                         std::to_string(shard) + "/" + std::to_string(count), "--json"});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out);
    }
};

/// Classes as sets: which is first depends on nothing that matters.
std::vector<std::vector<std::string>> classes_of(const nlohmann::json& suite) {
    auto classes = suite["classes"].get<std::vector<std::vector<std::string>>>();
    for (auto& one : classes) std::sort(one.begin(), one.end());
    std::sort(classes.begin(), classes.end());
    return classes;
}

TEST_F(Shards, TogetherAreTheWhole) {
    std::size_t mine = 0, cells = 0;
    std::vector<std::string> merge = {"store", "merge", folder.path("all")};
    for (int shard = 1; shard <= 3; ++shard) {
        const auto report = work(shard, 3);
        mine += report["mine"].get<std::size_t>();
        cells = report["cells"].get<std::size_t>();
        EXPECT_EQ(report["open"], 0);
        merge.push_back(store(shard));
    }
    EXPECT_GT(cells, 3U);
    EXPECT_EQ(mine, cells); // each is one's
    EXPECT_EQ(work(2, 3)["known"], work(2, 3)["mine"]);
    ASSERT_EQ(discern(merge).status, 0);
    const auto suite = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = {"suite", "--space", space, "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = discern(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out);
    };
    const auto merged = suite({"--store", folder.path("all")}), alone = suite({"--threads", "1"}),
               by_two = suite({"--threads", "2"});
    EXPECT_EQ(merged["questions"], 0);
    EXPECT_EQ(classes_of(merged), classes_of(alone));
    EXPECT_EQ(merged["classes"], alone["classes"]); // in the same order, too
    EXPECT_EQ(by_two["classes"], alone["classes"]);
    EXPECT_EQ(by_two["vectors"], alone["vectors"]);
    const Outcome check = discern({"store", "check", folder.path("all"), "--json"});
    EXPECT_EQ(check.status, 0) << check.out;
    EXPECT_EQ(nlohmann::json::parse(check.out)["counts"]["cells"], cells);
}

TEST_F(Shards, TakeTheCellsFromAStore) {
    const std::string all = folder.path("all");
    const Outcome cells = discern({"suite", "--space", space, "--store", all, "--cells", "--json"});
    ASSERT_EQ(cells.status, 0) << cells.err;
    EXPECT_EQ(nlohmann::json::parse(cells.out)["found"], false);
    EXPECT_NE(discern({"suite", "--space", space, "--store", all, "--cells"}).out.find("known before"),
              std::string::npos);
    std::vector<std::string> merge = {"store", "merge", all};
    for (int shard = 1; shard <= 4; ++shard) {
        const Outcome outcome = discern({"suite", "--space", space, "--store", store(shard), "--shard",
                                         std::to_string(shard) + "/4", "--from", all, "--json"});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        const auto report = nlohmann::json::parse(outcome.out);
        EXPECT_EQ(report["found"], true);
        EXPECT_EQ(report["cells"], nlohmann::json::parse(cells.out)["cells"]);
        EXPECT_GT(report["mine"], 0);
        merge.push_back(store(shard));
    }
    ASSERT_EQ(discern(merge).status, 0);
    auto merged = nlohmann::json::parse(discern({"suite", "--space", space, "--store", all, "--json"}).out);
    auto alone = nlohmann::json::parse(discern({"suite", "--space", space, "--json"}).out);
    for (auto* answer : {&merged, &alone})
        for (const char* own : {"stored", "seconds"}) answer->erase(own);
    EXPECT_EQ(merged, alone);
    // A store that lacks them is none to take them from, and so is another question's.
    const Outcome other = discern({"suite", "--space", space, "--seed", "5", "--store", folder.path("other"), "--shard",
                                   "1/4", "--from", all, "--json"});
    EXPECT_EQ(nlohmann::json::parse(other.out)["found"], false);
    EXPECT_EQ(
        discern({"suite", "--space", space, "--store", store(9), "--shard", "1/4", "--from", folder.path("no")}).status,
        2);
    EXPECT_EQ(discern({"suite", "--space", space, "--from", all}).status, 2);
    EXPECT_EQ(discern({"suite", "--space", space, "--cells"}).status, 2);
    EXPECT_EQ(discern({"suite", "--space", space, "--store", all, "--cells", "--shard", "1/2"}).status, 2);
}

TEST_F(Shards, WhatIsCutShortIsSaidAndKept) {
    const std::string large =
        "hopper/wgmma.m64n8k16.f32.f16.f16{F={1..40},L={4|8|16},c={early|late},floor={none|-133}}";
    const Outcome cut =
        discern({"suite", "--space", large, "--store", folder.path("cut"), "--timeout", "0.001", "--json"});
    EXPECT_EQ(cut.status, 3) << cut.err;
    const auto answer = nlohmann::json::parse(cut.out);
    EXPECT_EQ(answer["interrupted"], true);
    EXPECT_EQ(answer["units"].size(), 480U);
    EXPECT_EQ(answer["classes"].size(), 480U);
    ASSERT_EQ(answer["undecided"].size(), 1U);
    EXPECT_EQ(answer["undecided"][0].size(), 480U);
    EXPECT_EQ(answer["vectors"].size(), 0U);
    const Outcome whole = discern({"suite", "--space", large, "--store", folder.path("cut"), "--resume", "--json"});
    auto resumed = nlohmann::json::parse(whole.out),
         alone = nlohmann::json::parse(discern({"suite", "--space", large, "--json"}).out);
    EXPECT_FALSE(resumed.contains("undecided"));
    for (auto* one : {&resumed, &alone})
        for (const char* own : {"stored", "seconds"}) one->erase(own);
    EXPECT_EQ(resumed, alone);
}

TEST_F(Shards, AScriptStartsAll) {
    for (const std::string scheduler : {"slurm", "parallel"}) {
        const Outcome outcome =
            discern({"suite", "--space", space, "--store", "an swer's", "--as", scheduler, "--shards=8"});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_NE(outcome.out.find("discern suite --space 'volta/"), std::string::npos) << outcome.out;
        EXPECT_NE(outcome.out.find("discern store merge"), std::string::npos);
        EXPECT_EQ(outcome.out.find("--as"), std::string::npos);
        EXPECT_NE(outcome.out.find(" --timeout 600 --shard "), std::string::npos) << outcome.out;
        EXPECT_EQ(std::system(("sh -n " + folder.file(scheduler, outcome.out)).c_str()), 0);
    }
}

TEST_F(Shards, TheScriptOfSlurmDoesTheWork) { // run as Slurm would: one process a task
    const Outcome script =
        discern({"suite", "--space", space, "--store", folder.path("answers"), "--as", "slurm", "--shards", "2"});
    const std::string file = folder.file("script", script.out);
    const std::string path = std::filesystem::path(DISCERN_PROGRAM).parent_path().string();
    for (const std::string task : {"1", "2"})
        EXPECT_EQ(std::system(("PATH=" + path + ":$PATH SLURM_ARRAY_TASK_ID=" + task + " SLURM_CPUS_PER_TASK=1 sh " +
                               file + " >" + folder.path("out"))
                                  .c_str()),
                  0)
            << read_file(folder.path("out"));
    // A task that is killed leaves files beside its store.
    const pid_t killed = fork();
    if (killed == 0) {
        const Store last(store(2));
        _exit(0);
    }
    int ended = 0;
    ASSERT_EQ(waitpid(killed, &ended, 0), killed);
    ASSERT_TRUE(std::filesystem::exists(store(2) + "-shm"));
    const std::size_t merge = script.out.find("discern store merge");
    ASSERT_NE(merge, std::string::npos);
    const std::string line = script.out.substr(merge, script.out.find('\n', merge) - merge);
    EXPECT_EQ(std::system(("PATH=" + path + ":$PATH; " + line + " >" + folder.path("out")).c_str()), 0) << line;
    EXPECT_GT(Store(folder.path("answers"), true).size(), 3U);
    std::filesystem::copy(folder.path("answers"), folder.path("copy"));
    EXPECT_EQ(Store(folder.path("copy"), true).size(), Store(folder.path("answers"), true).size());
    // A pattern that also finds the files beside a store is understood.
    EXPECT_EQ(discern({"store", "merge", folder.path("all"), store(1), store(2), store(2) + "-shm", store(2) + "-wal"})
                  .status,
              0);
}

TEST_F(Shards, SentencesForWhatIsWrong) {
    const std::vector<std::string> suite = {"suite", "--space", space};
    const auto complaint = [&](std::vector<std::string> more) {
        more.insert(more.begin(), suite.begin(), suite.end());
        const Outcome outcome = discern(more);
        EXPECT_EQ(outcome.status, 2);
        return outcome.err;
    };
    const std::string answers = folder.path("answers");
    for (const std::string text : {"0/3", "4/3", "1", "1/", "/3", "a/b", "1/3/5", "-1/3"})
        EXPECT_NE(complaint({"--store", answers, "--shard=" + text}).find("is no I/N"), std::string::npos) << text;
    EXPECT_NE(complaint({"--shard", "1/3"}).find("--shard needs --store"), std::string::npos);
    EXPECT_NE(complaint({"--as", "slurm"}).find("--as needs --store"), std::string::npos);
    EXPECT_NE(complaint({"--as", "pbs", "--store", answers}).find("slurm"), std::string::npos);
    EXPECT_NE(complaint({"--shard", "1/3", "--store", answers, "-o", "x"}).find("when the stores are merged"),
              std::string::npos);
    EXPECT_EQ(discern({"store", "merge", answers}).status, 2);
    EXPECT_EQ(discern({"store", "look", answers}).status, 2);
    EXPECT_EQ(discern({"store", "check", folder.path("none")}).status, 2);
}

} // namespace
} // namespace discern::testing::shards_test
