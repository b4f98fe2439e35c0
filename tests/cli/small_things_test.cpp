// Things that are small until one meets them: each is a line of its own.
#include "program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include <sys/wait.h>

namespace discern::testing {
namespace {

using nlohmann::json;

const std::string fma = "x86/fma.f32";

std::string text_of(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

/// The exit status of a command line, run by a shell in the folder.
int status_of(const Folder& folder, const std::string& command) {
    const int status = std::system(("cd " + folder.path(".") + " && " + command).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SmallThings, AnInterruptedCommandKeepsTheOldFile) {
    const Folder folder;
    for (const std::string command :
         {"check model:x86/fma.f32 x86/fma.f32 -n 1e12 -o old",
          "identify 'exec:sleep 100' --formats f16,f16,f32,f32 --K 4 -o old", "generate x86/fma.f32 -n 1e12 -o old",
          "prove 'volta/mma.m8n8k4.f32.f16.f16.f32{F=25}' volta/mma.m8n8k4.f32.f16.f16.f32 --solver 'sleep 79' -o "
          "old"}) {
        folder.file("old", "as it was\n");
        EXPECT_EQ(status_of(folder, "timeout -s INT 1 " DISCERN_PROGRAM " " + command + " 2>err >out || exit 9"), 9);
        EXPECT_EQ(text_of(folder.path("old")), "as it was\n") << command << text_of(folder.path("err"));
    }
}

TEST(SmallThings, AFolderForTemporaryFilesThatIsNotThere) {
    const Folder folder;
    EXPECT_EQ(
        status_of(folder, "TMPDIR=/nonexistent " DISCERN_PROGRAM " prove x86/fma.f32 x86/fma.f32 --checked >out 2>err"),
        2);
    EXPECT_NE(text_of(folder.path("err")).find("no temporary file can be made: TMPDIR"), std::string::npos)
        << text_of(folder.path("err"));
    EXPECT_EQ(text_of(folder.path("err")).find("internal error"), std::string::npos);
}

TEST(SmallThings, AStoreThatIsNotMergedIsNotLeft) {
    const Folder folder;
    const Outcome outcome = discern({"store", "merge", folder.path("new"), folder.file("no-store", "text")});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_FALSE(std::filesystem::exists(folder.path("new"))) << outcome.err;
}

TEST(SmallThings, APictureOfTwoUnitsHasBoth) {
    const Folder folder;
    const std::string file = folder.path("v.jsonl"), picture = folder.path("p.svg");
    ASSERT_EQ(discern({"generate", "A100/f16", "-n", "50", "--family", "normal", "-o", file}).status, 0);
    ASSERT_EQ(discern({"explain", "A100/f16", "H100/f16", file, "--svg", picture}).status, 0);
    const std::string svg = text_of(picture);
    EXPECT_NE(svg.find("A A100/f16: "), std::string::npos) << svg.substr(0, 600);
    EXPECT_NE(svg.find("B H100/f16: "), std::string::npos);
}

TEST(SmallThings, WhatIsWrongIsSaid) {
    const std::string table = "a;b;c;d\n1 2;1 2;0,5;3\n";
    for (const auto& [arguments, input, complaint] :
         std::vector<std::tuple<std::vector<std::string>, std::string, std::string>>{
             {{"generate", "--formats", "f16,f16,f32,f32", "--K", "1e8"}, "", "too many; at most 1048576 is right"},
             {{"eval", "A100/f16@[split=2", "--K", "32", "-"}, "", "'@[split=2' is not closed"},
             {{"show", "A100/f16@[split=2"}, "", "'@[split=2' is not closed"},
             {{"prove", fma, fma, "--timeout", "0,5"}, "", "a decimal point is a point, as in 0.5"},
             {{"which", "-", "--formats", "f16,f16,f32,f32"}, table, "a decimal point is a point"},
             {{"measure", fma, "--timeout", "-1"}, "", "--timeout"}}) {
        const Outcome outcome = discern(arguments, input);
        EXPECT_EQ(outcome.status, 2) << complaint;
        EXPECT_NE(outcome.err.find(complaint), std::string::npos) << outcome.err;
    }
}

TEST(SmallThings, AnAtSignOfTheNotationIsNoSchedule) {
    EXPECT_EQ(discern({"show", "f16*f16+f32->f32 K=4 : round[f32 rne](fuse[F=24 rz](p*, c @[F=26]))"}).status, 0);
}

TEST(SmallThings, ATimeLimitEndsWhatIsLong) {
    const Folder folder;
    for (const std::string command :
         {"measure A100/f16 -n 1e12 --timeout 0.3", "generate A100/f16 -n 1e12 --timeout 0.3",
          "generate A100/f16 -n 1e12 --timeout 0.3 --results -o file",
          "generate A100/f16 -n 1e9 | " DISCERN_PROGRAM " eval A100/f16 - --timeout 0.3"})
        EXPECT_EQ(status_of(folder, "timeout 20 " DISCERN_PROGRAM " " + command + " >/dev/null 2>err"), 3)
            << command << text_of(folder.path("err"));
    EXPECT_NE(text_of(folder.path("err")).find("the time is over"), std::string::npos);
    for (const char* command : {"measure", "gemm", "eval", "explain", "generate", "export", "smt2", "store"})
        EXPECT_NE(discern({command, "--help"}).out.find("--timeout"), std::string::npos) << command;
}

TEST(SmallThings, OptionsOfOthers) {
    EXPECT_EQ(discern({"units", "A100", "--formats", "tf32"}).out, discern({"units", "A100", "--format", "tf32"}).out);
    EXPECT_EQ(lines(discern({"units", "A100", "--formats", "f16,f16,f32,f32"}).out).size(), 3u);
}

TEST(SmallThings, AReaderThatHasEnoughIsNoTrouble) {
    const Folder folder;
    EXPECT_EQ(status_of(folder, "bash -c 'set -o pipefail; for i in 1 2 3; do " DISCERN_PROGRAM
                                " generate x86/fma.f32 -n 1e6; done 2>err | head -1 >out'"),
              141);
    EXPECT_EQ(text_of(folder.path("err")), "");
    const int status = status_of(folder, "bash -c 'set -o pipefail; " DISCERN_PROGRAM " units 2>err | head -1 >out'");
    EXPECT_TRUE(status == 0 || status == 141) << status;
    EXPECT_EQ(text_of(folder.path("err")), "");
}

TEST(SmallThings, APropertyThatDoesNotApplyIsNoTrouble) {
    const Outcome outcome = discern({"property", fma, "split"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("K is odd"), std::string::npos) << outcome.out;
    const json answer = json::parse(discern({"property", fma, "split", "--json"}).out);
    EXPECT_TRUE(answer["properties"].empty());
    EXPECT_EQ(answer["not_asked"].size(), 1u);
}

TEST(SmallThings, AByteOrderMarkIsRead) {
    const std::string mark = "\xef\xbb\xbf", file = mark + "{\"discern\":1,\"unit\":\"x86/fma.f32\"}\n" +
                                                    R"({"a":["3f800000"],"b":["3f800000"],"c":"00000000"})" + "\n";
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"eval", fma, "-"}, {"run", "model:" + fma, "-"}, {"export", "--as", "c", "-"}}) {
        const Outcome outcome = discern(command, file);
        EXPECT_EQ(outcome.status, 0) << command.front() << outcome.err;
        EXPECT_NE(outcome.out.find("3f800000"), std::string::npos) << outcome.out;
    }
}

TEST(SmallThings, TheExportForDpiCompilesWithoutWarnings) {
    const Folder folder;
    for (const std::string unit : {"A100/f16", "x86/dpps", "MI300X/f16"}) {
        ASSERT_EQ(discern({"export", "--as", "dpi", unit, "-o", folder.path("unit.c")}).status, 0);
        for (const std::string compiler : {"gcc", "clang-14", "clang"}) {
            if (std::system(("command -v " + compiler + " >/dev/null").c_str()) != 0) continue;
            EXPECT_EQ(status_of(folder, compiler + " -std=c99 -Wall -Wextra -Werror -c unit.c -o unit.o 2>err"), 0)
                << compiler << unit << text_of(folder.path("err")).substr(0, 500);
        }
    }
}

TEST(SmallThings, AFolderThatMayNotBeWrittenInAndAnotherUser) {
    if (std::system("command -v setpriv >/dev/null && test \"$(id -u)\" = 0") != 0)
        GTEST_SKIP() << "only root can become another user, by setpriv";
    const Folder folder;
    const std::string program = folder.path("discern"); // the build folder may be closed to others
    std::filesystem::copy_file(DISCERN_PROGRAM, program);
    std::filesystem::permissions(folder.path("."), std::filesystem::perms(0755));
    const std::string as_nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups ";
    EXPECT_EQ(status_of(folder, as_nobody + program + " synth A100/f16 H100/f16 >/dev/null"), 1);
    EXPECT_EQ(status_of(folder, as_nobody + program + " which model:A100/f16 >/dev/null"), 0);
    EXPECT_EQ(status_of(folder, as_nobody + program + " generate A100/f16 -n 2 -o file 2>/tmp/discern-small-err"), 2);
    EXPECT_NE(text_of("/tmp/discern-small-err").find("file cannot be written: Permission denied"), std::string::npos);
    std::filesystem::remove("/tmp/discern-small-err");
}

/// `timeout` answers 124 when SIGINT was enough and 137 when the program had to be killed half a minute later.
TEST(SmallThings, CtrlCEndsASuiteWhileASolverRuns) {
    const Folder folder;
    // A product normalised by a rounding, or as it is multiplied: a question that no rule answers.
    const std::string until_sum =
        "'f16*f16+f32->f32 K=1 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=23 rz](";
    EXPECT_EQ(status_of(folder, "timeout -k 30 -s INT 2 " DISCERN_PROGRAM " suite " + until_sum +
                                    "round[f32 rz zsign=pos](p0)@[zero=ignore], c))' " + until_sum +
                                    "p*[full], c))' --solver 'sleep 79' >out 2>err"),
              124)
        << text_of(folder.path("err"));
}

/// A solver that never answers has its part of the time, and the questions after the first that needs it have theirs.
TEST(SmallThings, QuestionsAreAskedBeforeTheTimeIsGone) {
    const Folder folder;
    status_of(folder,
              "timeout 60 " DISCERN_PROGRAM " suite --questions --solver 'sleep 79' --timeout 10 --json >out 2>err");
    const json answer = json::parse(text_of(folder.path("out")), nullptr, false);
    ASSERT_TRUE(answer.is_object()) << text_of(folder.path("err"));
    const auto& suites = answer["suites"];
    const auto looked_at = std::ranges::count_if(suites, [](const json& suite) { return !suite["vectors"].empty(); });
    EXPECT_GT(2 * looked_at, std::ssize(suites)) << "of " << suites.size();
}

} // namespace
} // namespace discern::testing
