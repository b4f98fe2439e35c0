// The built program itself: arguments, streams and exit statuses as a shell sees them.
#include "program.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>

namespace discern::testing {
namespace {

const std::string program = DISCERN_PROGRAM;

/// Exit status of a command line run by the shell; `discern` in it is the program.
int shell(const std::string& command) {
    const int status = std::system(("discern() { '" + program + "' \"$@\"; }; " + command).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

const std::string golden_sample = std::string(DISCERN_TEST_DATA) + "/golden/Volta__mma.m8n8k4.f32.f16.f16.f32.jsonl";

TEST(Program, ExitStatuses) {
    EXPECT_EQ(shell("discern --version >/dev/null"), 0);
    EXPECT_EQ(shell("discern --help >/dev/null"), 0);
    EXPECT_EQ(shell("discern >/dev/null"), 0);
    EXPECT_EQ(shell("discern eval " + volta + " '" + golden_sample + "' --check >/dev/null"), 0);
    EXPECT_EQ(shell("discern eval '" + volta + "{F=20,floor=none}' '" + golden_sample + "' --check >/dev/null"), 1);
    EXPECT_EQ(shell("discern eval " + volta + " /no/such/file 2>/dev/null"), 2);
}

TEST(Program, ReadsStandardInput) {
    EXPECT_EQ(shell("discern eval " + volta + " - --check <'" + golden_sample + "' >/dev/null"), 0);
    EXPECT_EQ(shell("discern eval " + volta + " - <'" + golden_sample + "' | discern eval " + volta +
                    " - --check | grep -q 'checked 9, mismatches 0'"),
              0);
    EXPECT_EQ(shell("discern eval " + volta + " - </dev/null 2>/dev/null"), 2);
}

TEST(Program, AnswersWhileItsInputIsOpen) {
    Folder folder;
    // The input stays open until an answer to its one vector has been seen, or ten seconds have passed.
    const std::string out = folder.path("out");
    const std::string feed = "{ head -n 2 '" + golden_sample + "'; for i in $(seq 100); do grep -q '\"d\"' '" + out +
                             "' && break; sleep 0.1; done; test $i -lt 100; echo $? >'" + folder.path("seen") + "'; }";
    EXPECT_EQ(shell(": >'" + out + "'; " + feed + " | discern eval " + volta + " - >'" + out + "'"), 0);
    EXPECT_EQ(read_file(folder.path("seen")), "0\n");
}

TEST(Program, AReaderThatGoesAwayIsNoCrash) {
    Folder folder;
    // Far more than a pipe holds, so that writing does fail.
    const std::string command = "{ discern units --json; echo $? >'" + folder.path("status") + "'; } 2>'" +
                                folder.path("err") + "' | sleep 0.2";
    EXPECT_EQ(shell(command), 0);
    EXPECT_EQ(read_file(folder.path("status")), "141\n");
    EXPECT_EQ(read_file(folder.path("err")), "") << "the reader has gone, and no message is written";
}

TEST(Program, AFullDiskIsTrouble) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    Folder folder;
    EXPECT_EQ(shell("discern units >/dev/full 2>'" + folder.path("err") + "'"), 2);
    EXPECT_EQ(read_file(folder.path("err")), "discern: standard output cannot be written: No space left on device\n");
    EXPECT_EQ(shell("discern --help >/dev/full 2>/dev/null"), 2);
    EXPECT_EQ(shell("discern eval " + volta + " --help >/dev/full 2>/dev/null"), 2);
}

} // namespace
} // namespace discern::testing
