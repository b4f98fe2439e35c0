// Point 5 of a good first hour: -o leaves what was there until the new file is whole, and no input is overwritten.
#include "program.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include <sys/stat.h>

namespace discern::testing::output_test {
namespace {

namespace fs = std::filesystem;

const std::string unit = "volta/mma.m8n8k4.f32.f16.f16.f32";
const std::string header = "{\"discern\":1,\"unit\":\"" + unit + "\"}\n";
const std::string vector =
    R"({"a":["3c00","3c00","0000","0000"],"b":["3c00","4000","0000","0000"],"c":"3f800000","d":"40800000"})"
    "\n";

std::size_t files_in(const std::string& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Output, AFailingCommandLeavesTheOldFile) {
    const Folder folder;
    fs::create_directory(folder.path("sub"));
    const std::string in = folder.file("in", header + vector + "{\"a\":1}\n");
    const std::string old = folder.file("sub/old", "what was there");
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"eval", unit, in}, {"run", "replay:" + in, in}, {"export", "--as", "c", in}}) {
        auto arguments = command;
        arguments.insert(arguments.end(), {"-o", old});
        EXPECT_EQ(discern(arguments).status, 2) << command[0];
        EXPECT_EQ(read_file(old), "what was there") << command[0];
        EXPECT_EQ(files_in(folder.path("sub")), 1u) << command[0];
    }
    auto arguments = std::vector<std::string>{"eval", unit, in, "-o", folder.path("sub/new")};
    EXPECT_EQ(discern(arguments).status, 2);
    EXPECT_FALSE(fs::exists(folder.path("sub/new"))) << "half a file";
}

TEST(Output, TakesThePlaceAndTheModeOfTheOldFile) {
    const Folder folder;
    fs::create_directory(folder.path("sub"));
    const std::string in = folder.file("in", header + vector);
    const std::string old = folder.file("sub/old", "what was there");
    chmod(old.c_str(), 0600);
    fs::create_symlink(old, folder.path("sub/link"));
    EXPECT_EQ(discern({"eval", unit, in, "-o", folder.path("sub/link")}).status, 0);
    EXPECT_TRUE(fs::is_symlink(folder.path("sub/link")));
    EXPECT_EQ(lines(read_file(old)).size(), 2u);
    EXPECT_EQ(fs::status(old).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(files_in(folder.path("sub")), 2u);
    EXPECT_EQ(discern({"eval", unit, in, "-o", "/dev/null"}).status, 0);
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    const Outcome directory = discern({"eval", unit, in, "-o", folder.path("sub")});
    EXPECT_EQ(directory.status, 2);
    EXPECT_NE(directory.err.find("is a directory"), std::string::npos) << directory.err;
}

TEST(Output, IsNeverAnInput) {
    const Folder folder;
    const std::string in = folder.file("in.jsonl", header + vector);
    const std::string other = folder.file("other.jsonl", header + vector);
    const std::string space = folder.file("space", unit + "{F={22|23}}\n");
    fs::create_hard_link(in, folder.path("same.jsonl"));
    const std::string before = read_file(in);
    const std::vector<std::pair<std::vector<std::string>, std::string>> commands = {
        {{"eval", unit, in}, in},
        {{"eval", unit, in}, folder.path("same.jsonl")},
        {{"eval", unit, in, "--check"}, in},
        {{"diff", in, other}, in},
        {{"diff", in, other}, other},
        {{"run", "model:" + unit, in}, in},
        {{"run", "replay:" + other, in}, other},
        {{"check", "replay:" + in, unit}, in},
        {{"probe", "replay:" + in}, in},
        {{"identify", "replay:" + in, "--timeout", "0"}, in},
        {{"audit", in, "--space", "@" + space}, in},
        {{"audit", in, "--space", "@" + space}, space},
        {{"suite", "--space", "@" + space, "--timeout", "5"}, space},
        {{"export", "--as", "c", in}, in},
        {{"gemm", unit, in, other}, other},
    };
    for (const auto& [command, out] : commands) {
        auto arguments = command;
        const std::string said_before = read_file(out);
        arguments.insert(arguments.end(), {"-o", out});
        const Outcome outcome = discern(arguments);
        EXPECT_EQ(outcome.status, 2) << command[0] << outcome.out;
        EXPECT_NE(outcome.err.find("is also the input"), std::string::npos) << command[0] << outcome.err;
        EXPECT_EQ(read_file(out), said_before) << command[0];
    }
    EXPECT_EQ(read_file(in), before);
}

TEST(Output, ObservationsAreKeptWhenTheTargetFails) {
    const Folder folder;
    const std::string in = folder.file("in", header + vector + vector + vector);
    const std::string out = folder.file("out", "what was there");
    const Outcome outcome = discern({"run", R"(exec:read h; read l; echo "{\"d\":\"00000000\"}")", in, "-o", out});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(lines(read_file(out)).size(), 2u) << "the header and one observation";
}

/// That it is written is seen of what the program has open: it may have no name.
TEST(Output, AnInterruptLeavesNoHalfFile) {
    const Folder folder;
    fs::create_directory(folder.path("sub"));
    const std::string script = folder.file(
        "script", "mkfifo " + folder.path("in") + "\n" + DISCERN_PROGRAM + " eval " + unit + " " + folder.path("in") +
                      " -o " + folder.path("sub/out") + " & child=$!\nexec 3>" + folder.path("in") +
                      "\nprintf '%s\\n' '" + header.substr(0, header.size() - 1) +
                      "' >&3\nfor i in $(seq 100); do ls -l /proc/$child/fd | grep /sub/ >" + folder.path("during") +
                      " && break; sleep 0.05; done\nkill -TERM $child; wait $child; true\n");
    ASSERT_EQ(std::system(("bash " + script + " 2>/dev/null").c_str()), 0);
    EXPECT_FALSE(read_file(folder.path("during")).empty()) << "the file was never begun";
    EXPECT_EQ(files_in(folder.path("sub")), 0u);
}

} // namespace
} // namespace discern::testing::output_test
