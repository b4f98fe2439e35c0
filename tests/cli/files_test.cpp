// Files that cannot be read or written.
#include "program.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include <unistd.h>

namespace discern::testing::files_test {
namespace {

const std::string header = R"({"discern":1})";

TEST(Files, MissingFilesAreNamed) {
    const Outcome outcome = discern({"eval", volta, "/no/such/file", "--check"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, "discern: /no/such/file cannot be read: No such file or directory\n");
}

TEST(Files, DirectoriesAreNoFiles) {
    Folder folder;
    const Outcome outcome = discern({"eval", volta, folder.path("")});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("is a directory; a file of vectors is needed"), std::string::npos) << outcome.err;
}

TEST(Files, PlainTextIsReadByCommandsAsItIsWritten) {
    Folder folder;
    // With scales, with operands of one digit, and without c.
    for (const std::string& unit : {volta, std::string("blackwell/tcgen05.mma.m64n8k64.block16.f32.e2m1.e2m1.ue4m3"),
                                    std::string("e2m1*e2m1->f16 K=3 : round[f16 rne](fuse[exact](p*))")}) {
        const std::string vectors = discern({"generate", unit, "-n", "50", "--results"}).out;
        const std::string file = folder.file("vectors.jsonl", vectors);
        const Outcome text = discern({"eval", unit, file, "--text"});
        ASSERT_EQ(lines(text.out).size(), 50u) << unit << text.err;
        const Outcome read = discern({"eval", unit, "-", "--check"}, text.out);
        EXPECT_EQ(last_line(read.out), "checked 50, mismatches 0") << unit << read.err;
    }
}

/// While it lives, root has the rights of nobody: root may read every file.
class AsNobody {
  public:
    AsNobody() : was_root_(::geteuid() == 0 && ::seteuid(65534) == 0) {}
    ~AsNobody() {
        if (was_root_ && ::seteuid(0) != 0) std::abort();
    }
    AsNobody(const AsNobody&) = delete;
    AsNobody& operator=(const AsNobody&) = delete;

  private:
    bool was_root_;
};

TEST(Files, UnreadableFilesAreNamed) {
    Folder folder;
    const std::string file = folder.file("secret.jsonl", header);
    std::filesystem::permissions(folder.path(""), std::filesystem::perms::all);
    std::filesystem::permissions(file, std::filesystem::perms::none);
    const AsNobody no_exponent;
    if (::geteuid() == 0) GTEST_SKIP() << "root cannot become nobody here, and may read every file";
    const Outcome outcome = discern({"eval", volta, file});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, "discern: " + file + " cannot be read: Permission denied\n");
}

TEST(Files, AFailingReadIsNoEndOfFile) {
    // The first page of a process is never mapped, so reading it fails.
    if (!std::filesystem::exists("/proc/self/mem")) GTEST_SKIP() << "no /proc/self/mem here";
    const Outcome outcome = discern({"eval", volta, "/proc/self/mem"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, "discern: /proc/self/mem:1: the file cannot be read any further\n");
}

TEST(Files, BinaryRubbishIsNamed) {
    Folder folder;
    std::string rubbish;
    for (int i = 0; i < 100'000; ++i) rubbish += static_cast<char>((i * 7919) >> 5);
    const Outcome outcome = discern({"eval", volta, folder.file("rubbish", rubbish)});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("rubbish:1: "), std::string::npos) << outcome.err;
    EXPECT_LT(outcome.err.size(), 500u);
}

TEST(Files, AFullDiskIsTrouble) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const std::string line = R"({"a":["0000","0000","0000","0000"],"b":["0000","0000","0000","0000"],"c":"00000000"})";
    std::string text = header + "\n";
    for (int i = 0; i < 1000; ++i) text += line + "\n";
    const Outcome outcome = discern({"eval", volta, "-", "-o", "/dev/full"}, text);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, "discern: /dev/full cannot be written: No space left on device\n");
}

TEST(Files, OutputThatCannotBeOpenedIsNamed) {
    const Outcome outcome = discern({"eval", volta, "-", "-o", "/no/such/folder/x"}, header + "\n");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, "discern: /no/such/folder/x cannot be written: No such file or directory\n");
}

TEST(Files, TheInputIsNotOverwritten) {
    Folder folder;
    const std::string file = folder.file("in.jsonl", header + "\n");
    const Outcome outcome = discern({"eval", volta, file, "-o", file});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, "discern: " + file + " is also the input; write to another file\n");
    EXPECT_EQ(read_file(file), header + "\n");
}

} // namespace
} // namespace discern::testing::files_test
