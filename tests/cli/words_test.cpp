// What is said where discern meets the world of those who use it: help that fits, names, files of others, models in C.
#include "cli/program.hpp"
#include "hwrunner/process/run_process.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <sstream>

namespace discern::testing::words_test {
namespace {

using nlohmann::json;

std::size_t columns(const std::string& line) {
    std::size_t count = 0;
    for (const char c : line) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
    return count;
}

TEST(Words, HelpFitsEightyColumnsInGroups) {
    for (const auto& command : cli::commands()) {
        if (command.get().run == nullptr) continue;
        const Outcome help = discern({std::string(command.get().name), "--help"});
        EXPECT_EQ(help.status, 0);
        for (const std::string& line : lines(help.out)) {
            const bool may_be_long = line.starts_with("  discern ") || line.starts_with("discern ") ||
                                     line.find_last_of(' ') == line.find_first_not_of(' ') - 1 ||
                                     line.find(" ", 26) == std::string::npos;
            EXPECT_TRUE(columns(line) <= 80 || may_be_long) << command.get().name << ": " << line;
            EXPECT_FALSE(line.ends_with(' ')) << command.get().name << ": '" << line << "'";
        }
    }
    const std::string prove = discern({"prove", "--help"}).out;
    std::size_t last = 0;
    for (const std::string heading :
         {"\nOptions:\n", "\nInputs:\n", "\nOutput:\n", "\nTime and work:\n", "\nDesigns:\n"}) {
        const std::size_t at = prove.find(heading);
        ASSERT_NE(at, std::string::npos) << heading << prove;
        EXPECT_GT(at, last);
        last = at;
    }
    EXPECT_GT(prove.find("--top MODULE"), last);
    EXPECT_LT(prove.find("--finite"), prove.find("\nOutput:\n"));
}

TEST(Words, WithoutACommandTheHelpIsPrinted) {
    const Outcome outcome = discern({});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out, discern({"--help"}).out);
    for (const std::string& line : lines(outcome.out)) EXPECT_LE(columns(line), 80u) << line;
}

TEST(Words, SecondsHaveUnits) {
    for (const std::string time : {"1m", "90s", "1.5min", "1h", "500ms", "60"})
        EXPECT_EQ(discern({"prove", volta, volta, "--timeout", time}).status, 0) << time;
    for (const std::string time : {"1d", "m", "-1m", "1 m", "1e400h"}) {
        const Outcome outcome = discern({"prove", volta, volta, "--timeout", time});
        EXPECT_EQ(outcome.status, 2) << time;
        EXPECT_NE(outcome.err.find("or as in 2m and 1h"), std::string::npos) << outcome.err;
    }
}

TEST(Words, ASuiteOfOneUnitNamesAround) {
    EXPECT_EQ(
        discern({"suite", "A100/f16"}).err,
        "discern: suite: there is one unit only; two or more are right, or discern suite A100/f16 --around, which "
        "has those next to it\n");
}

/// A PATH with nothing but a program rsvg-convert, if its text is not empty, until the end.
class OtherPath {
  public:
    explicit OtherPath(const std::string& rsvg_convert) : before_(std::getenv("PATH")) {
        if (!rsvg_convert.empty()) {
            const std::string program = folder_.file("rsvg-convert", "#!/bin/sh\n" + rsvg_convert + "\n");
            std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        }
        ::setenv("PATH", folder_.path("").c_str(), 1);
    }
    ~OtherPath() { ::setenv("PATH", before_.c_str(), 1); }

  private:
    Folder folder_;
    std::string before_;
};

TEST(Words, APictureIsSvgOrPdf) {
    const Folder folder;
    const auto drawn = [&](const std::string& file) {
        return discern({"measure", volta, "-n", "10", "--svg", folder.path(file)});
    };
    {
        const OtherPath nothing("");
        for (const std::string file : {"m.pdf", "m.png"}) {
            const Outcome outcome = drawn(file);
            EXPECT_EQ(outcome.status, 2);
            EXPECT_NE(outcome.err.find("m.svg is right, and rsvg-convert"), std::string::npos) << outcome.err;
            EXPECT_FALSE(std::filesystem::exists(folder.path(file)));
        }
    }
    {
        const OtherPath broken("echo no fonts >&2; exit 1");
        const Outcome outcome = drawn("m.pdf");
        EXPECT_EQ(outcome.status, 2);
        EXPECT_NE(outcome.err.find("rsvg-convert made no PDF, exit status 1: no fonts"), std::string::npos)
            << outcome.err;
        EXPECT_FALSE(std::filesystem::exists(folder.path("m.pdf")));
    }
    if (!is_program("rsvg-convert")) GTEST_SKIP() << "rsvg-convert is not installed (Debian: librsvg2-bin)";
    EXPECT_EQ(drawn("m.pdf").status, 0);
    const std::string pdf = read_file(folder.path("m.pdf"));
    EXPECT_EQ(pdf.substr(0, 4), "%PDF");
    EXPECT_NE(pdf.find("%%EOF"), std::string::npos);
}

TEST(Words, OneNumberIsSingular) {
    const Outcome one = discern({"eval", volta, "--numbers", "--a", "0.1,0,0,0", "--b", "1,0,0,0", "--c", "0"});
    EXPECT_NE(one.err.find("1 number is none of its format and was rounded (rne)"), std::string::npos) << one.err;
    const Outcome two = discern({"eval", volta, "--numbers", "--a", "0.1,0.3,0,0", "--b", "1,0,0,0", "--c", "0"});
    EXPECT_NE(two.err.find("2 numbers are none of their formats and were rounded"), std::string::npos) << two.err;
    const Outcome table = discern({"which", "-", "--formats", "f16,f16,-,f32"}, "a,b,d\n0.1,1.0,0.1\n");
    EXPECT_NE(table.err.find("1 of 3 numbers is none of its format and was rounded"), std::string::npos) << table.err;
    EXPECT_NE(table.err.find("a: 1 of 1 is none of f16"), std::string::npos) << table.err;
}

TEST(Words, MismatchesOfCheckAreATable) {
    const Outcome table = discern({"check", "model:" + volta, turing, "-n", "3000", "--table", "--show", "2"});
    EXPECT_EQ(table.status, 1) << table.err;
    EXPECT_NE(table.out.find("  the unit    "), std::string::npos) << table.out;
    EXPECT_NE(table.out.find("  the target  "), std::string::npos) << table.out;
    EXPECT_EQ(table.out.find("{\"a\""), std::string::npos) << table.out;
    const Outcome plain = discern({"check", "model:" + volta, turing, "-n", "3000", "--show", "2"});
    EXPECT_NE(plain.out.find("{\"a\""), std::string::npos);
    EXPECT_EQ(last_line(plain.out), last_line(table.out));
}

TEST(Words, AKernelOfAnyLengthIsEvaluatedForOneVector) {
    std::string ones = "3c00";
    for (int k = 1; k < 8192; ++k) ones += ",3c00";
    const Outcome outcome = discern({"eval", "H100/f16@[K=8192]", "--a", ones, "--b", ones, "--c", "00000000"});
    EXPECT_EQ(outcome.status, 0) << outcome.err.substr(0, 300);
    EXPECT_TRUE(last_line(outcome.out).starts_with("d      46000000")) << last_line(outcome.out); // 8192
    const Outcome asked = discern({"eval", "H100/f16@[K=8192]", "--a", ones, "--b", ones, "--c", "00000000", "--json"});
    EXPECT_EQ(json::parse(asked.out)["d"], "46000000");
}

TEST(Words, WordsOfAWiderFormatAreRead) {
    const std::string narrow = "a,b,c,d\n3f80 3f81,4000 bf80,00000000,3f7e0000\n",
                      wide = "a,b,c,d\n3f800000 3f810000,40000000 bf800000,00000000,3f7e0000\n",
                      other = "a,b,c,d\n3f800000 3f810001,40000000 bf800000,00000000,3f7e0000\n";
    const std::vector<std::string> which = {"which", "-", "--formats", "bf16,bf16,f32,f32"};
    const Outcome one = discern(which, narrow), same = discern(which, wide), no = discern(which, other);
    ASSERT_NE(one.status, 2) << one.err;
    EXPECT_EQ(same.out, one.out) << same.err;
    EXPECT_NE(same.err.find("a has words of f32 whose last bits are zero"), std::string::npos) << same.err;
    EXPECT_EQ(no.status, 2);
    // tf32 is in words of f32 anyway.
    const Outcome tf32 =
        discern({"which", "-", "--formats", "tf32,tf32,f32,f32"}, "a,b,c,d\n3f802000,40000000,00000000,40002000\n");
    EXPECT_NE(tf32.status, 2) << tf32.err;
    EXPECT_EQ(tf32.err.find("last bits"), std::string::npos) << tf32.err;
    // Numbers stay numbers: none of these has a digit that only patterns have.
    const Outcome numbers = discern(which, "a,b,c,d\n10000000 20000000,10.0 20.0,0,1.5\n");
    EXPECT_EQ(numbers.err.find("last bits"), std::string::npos) << numbers.err;
}

TEST(Words, ASuiteIsCheckedByItsClass) {
    const Folder folder;
    const std::string suite = folder.path("suite.jsonl");
    ASSERT_EQ(discern({"suite", volta, turing, "-o", suite}).status, 0);
    // The unit's own class is known; another one is said, by letter or name.
    EXPECT_EQ(discern({"eval", volta, suite, "--check"}).status, 0);
    EXPECT_EQ(discern({"eval", volta, suite, "--check", "--class", volta}).status, 0);
    EXPECT_EQ(discern({"eval", volta, suite, "--check", "--class", turing}).status, 1);
    EXPECT_EQ(discern({"eval", turing, suite, "--check", "--class", "B"}).status, 0);
    EXPECT_EQ(discern({"eval", volta, suite, "--check", "--class", "C"}).status, 2);
    const std::string written = "f16*f16+f32->f32 K=4 : round[f32 rne](fuse[exact](p*, c))";
    const Outcome unnamed = discern({"eval", written, suite, "--check"});
    EXPECT_EQ(unnamed.status, 2);
    EXPECT_NE(unnamed.err.find("--class says which is compared"), std::string::npos) << unnamed.err;
}

TEST(Words, TwoModelsInCAreLinkedTogether) {
    if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no C compiler";
    const Folder folder;
    const std::string one = folder.path("one.c"), other = folder.path("other.c"), program = folder.path("program");
    ASSERT_EQ(discern({"export", "--as", "dpi", "--name", "volta", volta, "-o", one}).status, 0);
    ASSERT_EQ(discern({"export", "--as", "c", "--name", "turing", turing, "-o", other}).status, 0);
    EXPECT_NE(read_file(one).find("SPDX-License-Identifier: Apache-2.0"), std::string::npos);
    EXPECT_EQ(read_file(one).find("discern_unit"), std::string::npos);
    const std::string main = folder.file("main.c", "#include <stdint.h>\n#include <stdio.h>\n"
                                                   "uint64_t volta(const uint64_t *, const uint64_t *, uint64_t);\n"
                                                   "uint64_t turing(const uint64_t *, const uint64_t *, uint64_t);\n"
                                                   "int main(void) {\n"
                                                   "    uint64_t a[4] = {0x7bff, 0x7bff, 0x1400, 0x1400};\n"
                                                   "    uint64_t b[4] = {0x7bff, 0xfbff, 0x1400, 0x1400};\n"
                                                   "    printf(\"%08x %08x\\n\", (unsigned)volta(a, b, 1), "
                                                   "(unsigned)turing(a, b, 1));\n    return 0;\n}\n");
    const std::string out = folder.path("out");
    ASSERT_EQ(std::system(
                  ("cc -std=c99 -o " + program + " " + main + " " + one + " " + other + " && " + program + " > " + out)
                      .c_str()),
              0);
    std::string expected;
    for (const std::string& unit : {volta, turing}) {
        const json d = json::parse(discern({"eval", unit, "--a", "7bff,7bff,1400,1400", "--b", "7bff,fbff,1400,1400",
                                            "--c", "00000001", "--json"})
                                       .out);
        expected += (expected.empty() ? "" : " ") + d["d"].get<std::string>();
    }
    EXPECT_EQ(read_file(out), expected + "\n");
    EXPECT_EQ(discern({"export", "--as", "btor2", "--name", "x", volta}).status, 2);
    EXPECT_EQ(discern({"export", "--as", "dpi", "--name", "1x", volta}).status, 2);
}

TEST(Words, WhatToCiteIsTheFileOfTheRepository) {
    const Outcome cite = discern({"--cite"});
    EXPECT_EQ(cite.status, 0);
    EXPECT_TRUE(cite.out.starts_with("@software{discern,\n")) << cite.out;
    const std::string file = read_file(std::string(DISCERN_TEST_DATA) + "/../../CITATION.cff");
    const std::size_t at = cite.out.find("title   = {") + 11;
    const std::string title = cite.out.substr(at, cite.out.find("},\n", at) - at);
    EXPECT_NE(file.find("title: \"" + title + "\""), std::string::npos) << title;
    const std::size_t version = cite.out.find("version = {") + 11;
    EXPECT_NE(file.find("version: " + cite.out.substr(version, cite.out.find('}', version) - version) + "\n"),
              std::string::npos);
}

} // namespace
} // namespace discern::testing::words_test
