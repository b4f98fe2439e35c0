// discern eval: filling in d, --check, and one vector in options.
#include "program.hpp"

#include <gtest/gtest.h>

namespace discern::testing::eval_test {
namespace {

const std::string header = R"({"discern":1,"unit":"volta/mma.m8n8k4.f32.f16.f16.f32","target":"a V100","seed":7})";
// 1·1 + 1·2 + c
const std::string inputs = R"("a":["3c00","3c00","0000","0000"],"b":["3c00","4000","0000","0000"],"c":"3f800000")";
const std::string right = "{" + inputs + R"(,"d":"40800000"})";
const std::string wrong = "{" + inputs + R"(,"d":"40800001"})";

TEST(Eval, FillsInD) {
    const Outcome outcome = discern({"eval", volta, "-"}, header + "\n{" + inputs + "}\n" + wrong + "\n");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto all = lines(outcome.out);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[1], right);
    EXPECT_EQ(all[2], right) << "d of another origin is replaced";
    EXPECT_TRUE(
        all[0].starts_with(R"({"discern":1,"unit":"volta/mma.m8n8k4.f32.f16.f16.f32","command":"discern eval )"))
        << all[0];
    EXPECT_TRUE(all[0].ends_with(R"(,"inputs":)" + header + "}")) << "a prediction has no target: " << all[0];
}

TEST(Eval, WhatItWritesIsRight) {
    Folder folder;
    const std::string file = folder.file("in.jsonl", header + "\n" + wrong + "\n");
    EXPECT_EQ(discern({"eval", volta, file, "-o", folder.path("out.jsonl")}).status, 0);
    const Outcome outcome = discern({"eval", volta, folder.path("out.jsonl"), "--check"});
    EXPECT_EQ(outcome.out, "checked 1, mismatches 0\n") << outcome.err;
}

TEST(Eval, BinaryRecordsAreReadAndChecked) {
    Folder folder;
    const std::string text = folder.file("in.jsonl", header + "\n" + wrong + "\n" + right + "\n");
    const std::string file = folder.path("out.bin");
    ASSERT_EQ(discern({"eval", volta, text, "--binary", "-o", file}).status, 0);
    std::string bytes = read_file(file);
    EXPECT_NE(bytes.find(R"("binary":"abcd"})"), std::string::npos);
    EXPECT_EQ(discern({"eval", volta, file, "--check"}).out, "checked 2, mismatches 0\n");
    EXPECT_EQ(lines(discern({"eval", volta, file}).out)[1], right) << "other commands read it one by one";
    bytes[bytes.size() - 4] = 1; // the last d
    const Outcome differs = discern({"eval", volta, folder.file("differs.bin", bytes), "--check"});
    EXPECT_EQ(differs.status, 1);
    EXPECT_NE(differs.out.find("record 2: the unit gives 40800000 (0x1p+2, 4), the file has 40800001"),
              std::string::npos)
        << differs.out;
    const Outcome cut = discern({"eval", volta, folder.file("cut.bin", bytes.substr(0, bytes.size() - 3)), "--check"});
    EXPECT_EQ(cut.status, 2);
    EXPECT_NE(cut.err.find("the record is cut off: 21 of 24 bytes"), std::string::npos) << cut.err;
}

TEST(Eval, WritesPlainText) {
    const Outcome outcome = discern({"eval", volta, "-", "--text"}, header + "\n" + wrong + "\n");
    EXPECT_EQ(outcome.out, "3c00 3c00 0000 0000 3c00 4000 0000 0000 3f800000 40800000\n");
    EXPECT_EQ(discern({"eval", volta, "-", "--check"}, outcome.out).out, "checked 1, mismatches 0\n");
}

TEST(Eval, ChecksCsv) {
    const std::string csv = "a,b,c,d\n3c00 3c00 0000 0000,3c00 4000 0000 0000,3f800000,40800000\n";
    EXPECT_EQ(discern({"eval", volta, "-", "--check"}, csv).out, "checked 1, mismatches 0\n");
}

TEST(Eval, CheckShowsMismatches) {
    const Outcome outcome =
        discern({"eval", volta, "-", "--check"}, header + "\n" + right + "\n" + wrong + "\n" + right + "\n");
    EXPECT_EQ(outcome.status, 1);
    const auto all = lines(outcome.out);
    ASSERT_EQ(all.size(), 3u) << outcome.out;
    EXPECT_EQ(all[0], "standard input:3: the unit gives 40800000 (0x1p+2, 4), the file has 40800001 (0x1.000002p+2, "
                      "4.000000476837158)");
    EXPECT_EQ(all[1], "  " + wrong);
    EXPECT_EQ(all[2], "checked 3, mismatches 1");
}

TEST(Eval, CheckShowsTheFirstTen) {
    std::string text = header + "\n";
    for (int i = 0; i < 25; ++i) text += wrong + "\n";
    const Outcome ten = discern({"eval", volta, "-", "--check"}, text);
    EXPECT_EQ(lines(ten.out).size(), 2u * 10 + 2);
    EXPECT_EQ(last_line(ten.out), "checked 25, mismatches 25");
    const Outcome two = discern({"eval", volta, "-", "--check", "--show", "2"}, text);
    EXPECT_EQ(lines(two.out).size(), 2u * 2 + 2);
    const Outcome none = discern({"eval", volta, "-", "--check", "--show", "0"}, text);
    EXPECT_EQ(last_line(none.out), "checked 25, mismatches 25");
}

TEST(Eval, CheckComparesNanByTheHeaderOrTheUnit) {
    const std::string nan =
        R"({"a":["7e00","0000","0000","0000"],"b":["3c00","0000","0000","0000"],"c":"00000000","d":"7fc00001"})";
    const std::string exact = R"({"discern":1})", any = R"({"discern":1,"nan":"any"})";
    EXPECT_EQ(discern({"eval", volta, "-", "--check"}, exact + "\n" + nan + "\n").status, 1);
    EXPECT_EQ(discern({"eval", volta, "-", "--check"}, any + "\n" + nan + "\n").status, 0);
    EXPECT_EQ(discern({"eval", volta + "{nan=any}", "-", "--check"}, exact + "\n" + nan + "\n").status, 0);
    std::string number = nan;
    number.replace(number.find("7fc00001"), 8, "7f800000");
    EXPECT_EQ(discern({"eval", volta, "-", "--check"}, any + "\n" + number + "\n").status, 1) << "infinity is no NaN";
}

TEST(Eval, CheckNeedsResults) {
    const Outcome missing = discern({"eval", volta, "-", "--check"}, header + "\n" + right + "\n{" + inputs + "}\n");
    EXPECT_EQ(missing.status, 2);
    EXPECT_EQ(missing.err,
              "discern: standard input:3: field d: missing; --check compares the results that are in the file\n");
    EXPECT_EQ(missing.out.find("checked"), std::string::npos) << "no summary after an error";
    const Outcome list =
        discern({"eval", volta, "-", "--check"}, header + "\n{" + inputs + R"(,"d":["40800000","40800001"]})" + "\n");
    EXPECT_EQ(list.status, 2);
    EXPECT_EQ(list.err,
              "discern: standard input:2: field d: is a list; --check compares one observed result a vector\n");
    const Outcome nothing = discern({"eval", volta, "-", "--check"}, header + "\n");
    EXPECT_EQ(nothing.status, 2);
    EXPECT_EQ(nothing.err, "discern: standard input has no vectors; there is nothing to check\n");
}

TEST(Eval, KeepsWhatCameBeforeABadLine) {
    const Outcome outcome = discern({"eval", volta, "-"}, header + "\n" + wrong + "\n{\n" + right + "\n");
    EXPECT_EQ(outcome.status, 2);
    const auto all = lines(outcome.out);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[1], right);
    EXPECT_TRUE(outcome.err.starts_with("discern: standard input:3: the line ends before its JSON object does"))
        << outcome.err;
}

TEST(Eval, TheHeaderMustAgree) {
    const std::string text = R"({"discern":1,"unit":"hopper/wgmma.m64n8k16.f32.f16.f16"})";
    const Outcome outcome = discern({"eval", volta, "-"}, text + "\n");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(
        outcome.err,
        "discern: standard input:1: field unit: hopper/wgmma.m64n8k16.f32.f16.f16 (f16*f16+f32->f32 K=16) does not "
        "agree with volta/mma.m8n8k4.f32.f16.f16.f32 (f16*f16+f32->f32 K=4) in K\n");
    const Outcome same_shape = discern({"eval", "hopper/wgmma.m64n8k16.f32.f16.f16{K=4}", "-"}, header + "\n");
    EXPECT_EQ(same_shape.status, 0) << "the unit on the command line decides: " << same_shape.err;
    const Outcome unknown = discern({"eval", volta, "-"}, R"({"discern":1,"unit":"volta/mma.m8n8k4.f32.f16.f16.f33"})");
    EXPECT_EQ(unknown.status, 2);
    EXPECT_TRUE(unknown.err.starts_with("discern: standard input:1: field unit: ")) << unknown.err;
    EXPECT_NE(unknown.err.find("did you mean volta/mma.m8n8k4.f32.f16.f16.f32"), std::string::npos) << unknown.err;
}

TEST(Eval, OneVector) {
    const Outcome outcome =
        discern({"eval", volta, "--a", "3c00,3c00,0000,0000", "--b", "3C00 4000 0000 8001", "--c", "3f800000"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "a[0]   3c00              0x1p+0                  1\n"
                           "a[1]   3c00              0x1p+0                  1\n"
                           "a[2]   0000              0x0p+0                  0\n"
                           "a[3]   0000              0x0p+0                  0\n"
                           "b[0]   3c00              0x1p+0                  1\n"
                           "b[1]   4000              0x1p+1                  2\n"
                           "b[2]   0000              0x0p+0                  0\n"
                           "b[3]   8001              -0x1p-24                -5.960464477539063e-08\n"
                           "c      3f800000          0x1p+0                  1\n"
                           "exact  4\n"
                           "error  d is exactly that\n"
                           "d      40800000          0x1p+2                  4\n");
    // 0.625 of 2^-21, the ulp of 5.6, is lost.
    const std::vector<std::string> inexact = {"eval", volta,     "--numbers", "--a",          "1,2,0,0.0999755859375",
                                              "--b",  "1,2,0,3", "--c",       "0x1.333334p-2"};
    EXPECT_NE(discern(inexact).out.find("\nexact  0x1.6665334p2, about 5.59992677\n"
                                        "error  d is 0.625 ulp below, relative 5.32e-08; correctly rounded, it were "
                                        "40b3329a (0x1.666534p+2, 5.599926948547363)\n"),
              std::string::npos)
        << discern(inexact).out;
    const Outcome exact = discern(
        {"eval", volta, "--a", "3c00,3c00,0000,0000", "--b", "3C00 4000 0000 8001", "--c", "3f800000", "--oracle"});
    EXPECT_EQ(exact.out, outcome.out);
}

TEST(Eval, AnOverflowIsNotSaidToBeExact) {
    const Outcome outcome =
        discern({"eval", "f16*f16->f16 K=1 : round[f16 rne](p*)", "--numbers", "--a", "60000", "--b", "2"});
    EXPECT_NE(outcome.out.find("exact  120000\nerror  d is infinite, correctly rounded\n"), std::string::npos)
        << outcome.out;
}

TEST(Eval, LinesOfTestFloatWithFlagsAreSaidToBeImported) {
    Folder folder;
    const std::string file = folder.file("testfloat", "3c00 3c00 3c00 4000 00\n");
    const Outcome outcome = discern({"eval", "x86/vfmadd231ph", file, "--check"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("takes 3, or 4 with d; with flags behind d, as TestFloat prints them, it is read by "
                               "'discern import testfloat'"),
              std::string::npos)
        << outcome.err;
}

TEST(Eval, OneVectorOfAUnitWithoutC) {
    const Outcome outcome = discern({"eval", "x86/dpps", "--a", "3f800000,3f800000,00000000,00000000", "--b",
                                     "3f800000,40000000,00000000,ff800000"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(last_line(outcome.out).find("nan"), std::string::npos) << "0 times infinity: " << outcome.out;
    const Outcome with_c = discern({"eval", "x86/dpps", "--a", "3f800000,3f800000,00000000,00000000", "--b",
                                    "3f800000,40000000,00000000,00000000", "--c", "00000000"});
    EXPECT_EQ(with_c.status, 2);
    EXPECT_EQ(with_c.err, "discern: --c was given, but the unit has no such input\n");
}

TEST(Eval, OneVectorWithScales) {
    const std::string unit = "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0{K=2}";
    const std::vector<std::string> rest = {"--b", "38,38", "--c", "00000000", "--sa", "80", "--sb", "7f"};
    std::vector<std::string> arguments = {"eval", unit, "--a", "38,40"};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    const Outcome outcome = discern(arguments); // (1·1 + 2·1) · 2 · 1
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("sa[0]  80                0x1p+1                  2\n"), std::string::npos)
        << outcome.out;
    EXPECT_EQ(last_line(outcome.out), "d      40c00000          0x1.8p+2                6");
}

struct Wrong {
    std::vector<std::string> arguments;
    std::string complaint;
};

TEST(Eval, WrongOptionsAreNamed) {
    const std::string good = "3c00,3c00,0000,0000";
    const std::vector<Wrong> all = {
        {{"eval", volta, "--a", "3c00", "--b", good, "--c", "00000000"},
         "--a has 1 pattern; there must be 4 patterns of f16"},
        {{"eval", volta, "--a", "3c00,3c,0,0", "--b", good, "--c", "00000000"},
         "--a: pattern 2: '3c' has 2 digits; a pattern of f16 is 4"},
        {{"eval", volta, "--a", good, "--b", good}, "--c is missing; there must be 1 pattern of f32"},
        {{"eval", volta, "--b", good, "--c", "00000000"}, "--a is missing; there must be 4 patterns of f16"},
        {{"eval", volta, "--a", good, "--b", good, "--c", "0000000g"}, "--c: pattern 1: '0000000g' is not hexadecimal"},
        {{"eval", volta, "--a", good, "--b", good, "--c", "00000000", "--sa", "7f"},
         "--sa was given, but the unit has no such input"},
        {{"eval", volta, "--a", good, "--b", good, "--c", "00000000", "--check"},
         "eval: --check, --text, --binary and -o are for files"},
        {{"eval", volta, "file", "--a", good}, "eval: "},
        {{"eval", volta}, "eval: a FILE of vectors is missing"},
        {{"eval"}, "eval: UNIT is required"},
        {{"eval", volta, "-", "--show", "x"}, "eval: "},
        {{"eval", volta, "-", "--what"}, "eval: "},
        {{"eval", volta, "-", "more"}, "eval: "},
        {{"eval", "volta/mma.m8n8k4.f32.f16.f16.f32{Q=1}", "-"}, "overrides {Q=1}: there is no key 'Q'"},
        {{"eval", "volta/mma.m8n8k4", "-"}, "there is no unit 'volta/mma.m8n8k4' (did you mean"},
        {{"eval", "", "-"}, "the unit is empty"},
    };
    for (const Wrong& entry : all) {
        const Outcome outcome = discern(entry.arguments, header + "\n" + right + "\n");
        EXPECT_EQ(outcome.status, 2);
        EXPECT_TRUE(outcome.err.starts_with("discern: " + entry.complaint)) << outcome.err;
        EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
}

TEST(Eval, WholeUnitsPassUnharmed) {
    const std::string unit = "f16*f16+f32->f32 K=4 L=4 nan=7fffffff : "
                             "round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=23 rz](p*, c)) {F=24,floor=none}";
    const Outcome outcome =
        discern({"eval", unit, "--a", "3c00,3c00,0000,0000", "--b", "3c00,4000,0000,0000", "--c", "3f800000"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(last_line(outcome.out), "d      40800000          0x1p+2                  4");
    const Outcome file = discern({"eval", unit, "-"}, header + "\n" + wrong + "\n");
    EXPECT_EQ(file.status, 0) << file.err;
    EXPECT_EQ(discern({"eval", unit, "-", "--check"}, file.out).out, "checked 1, mismatches 0\n")
        << "the header's unit reads back";
}

} // namespace
} // namespace discern::testing::eval_test
