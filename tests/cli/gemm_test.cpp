// discern gemm: files in, a matrix out, and sentences for what is wrong with them.
#include "program.hpp"

#include <gtest/gtest.h>

namespace discern::testing {
namespace {

/// Little-endian words.
std::string words(const std::vector<unsigned>& values, int bytes) {
    std::string text;
    for (const unsigned value : values)
        for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 255);
    return text;
}

std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                const char* order = "False") {
    std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
    header.resize(117, ' ');
    header += '\n';
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + data;
}

// A = (1 2; 3 4; 0 1), B = (1 0.5; 2 −1), C = (1 1; 0 0; 0 −0)
const std::string a = words({0x3c00, 0x4000, 0x4200, 0x4400, 0x0000, 0x3c00}, 2);
const std::string b = words({0x3c00, 0x3800, 0x4000, 0xbc00}, 2);
const std::string c = words({0x3f800000, 0x3f800000, 0, 0, 0, 0x80000000}, 4);

struct Files {
    Folder folder;
    std::string raw_a = folder.file("a.bin", a), raw_b = folder.file("b.bin", b), raw_c = folder.file("c.bin", c);
    std::string npy_a = folder.file("a.npy", npy("<u2", "(3, 2)", a)),
                npy_b = folder.file("b.npy", npy("<f2", "(2, 2)", b));
    std::string npy_c = folder.file("c.npy", npy("<u4", "(3, 2)", c));
};

// A·B + C = (6 -0.5; 11 -2.5; 2 -1)
const std::string product = "40c00000 bf000000\n41300000 c0200000\n40000000 bf800000\n";

TEST(GemmCommand, RawAndNpyGiveTheSame) {
    const Files f;
    const Outcome raw = discern({"gemm", volta, f.raw_a, f.raw_b, f.raw_c, "--size", "3,2,2"});
    EXPECT_EQ(raw.status, 0) << raw.err;
    EXPECT_EQ(raw.out, product);
    const Outcome numpy = discern({"gemm", volta, f.npy_a, f.npy_b, f.npy_c, "--threads", "2"});
    EXPECT_EQ(numpy.out, product) << numpy.err;
    EXPECT_EQ(discern({"gemm", volta, f.npy_a, f.npy_b, f.npy_c, "--kernels", "general"}).out, product);
}

TEST(GemmCommand, WritesNpyAndRaw) {
    const Files f;
    ASSERT_EQ(discern({"gemm", volta, f.npy_a, f.npy_b, f.npy_c, "-o", f.folder.path("d.npy")}).status, 0);
    ASSERT_EQ(discern({"gemm", volta, f.npy_a, f.npy_b, f.npy_c, "-o", f.folder.path("d.bin")}).status, 0);
    const std::string written = read_file(f.folder.path("d.npy")), raw = read_file(f.folder.path("d.bin"));
    EXPECT_EQ(raw, words({0x40c00000, 0xbf000000, 0x41300000, 0xc0200000, 0x40000000, 0xbf800000}, 4));
    EXPECT_NE(written.find("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }"), std::string::npos);
    EXPECT_TRUE(written.ends_with(raw));
    EXPECT_EQ((written.size() - raw.size()) % 64, 0u);
}

TEST(GemmCommand, AlphaAndBeta) {
    const Files f;
    // 0.5·A·B + 2·C
    EXPECT_EQ(discern({"gemm", volta, f.npy_a, f.npy_b, f.npy_c, "--alpha", "0.5", "--beta", "2"}).out,
              "40900000 3fa00000\n40b00000 bfa00000\n3f800000 bf000000\n");
    const Outcome wrong = discern({"gemm", volta, f.npy_a, f.npy_b, f.npy_c, "--alpha", "0.1"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_EQ(wrong.err, "discern: alpha is 0.1, which is not a number of f32, the format of d\n");
}

TEST(GemmCommand, FromZeroDiffersFromChaining) {
    // 2^24 − 1 + 1 · 2^-24 … : chained from C the small product is truncated inside of the fused sum; from zero it is
    // rounded to nearest with C at the end. c = 1 + 2^-23, product = 1.5 · 2^-24.
    Folder folder;
    const std::string one = folder.file("a.npy", npy("<u2", "(1, 1)", words({0x0c00}, 2))); // 2^-12
    const std::string two = folder.file("b.npy", npy("<u2", "(1, 1)", words({0x0e00}, 2))); // 1.5 · 2^-12
    const std::string acc = folder.file("c.npy", npy("<u4", "(1, 1)", words({0x3f800001}, 4)));
    EXPECT_EQ(discern({"gemm", volta, one, two, acc}).out, "3f800001\n");
    EXPECT_EQ(discern({"gemm", volta, one, two, acc, "--from-zero"}).out, "3f800002\n");
}

TEST(GemmCommand, VectorsAsRowsAndColumns) {
    Folder folder;
    const std::string file = folder.file(
        "v.jsonl",
        R"({"discern":1,"unit":")" + volta + "\"}\n" +
            R"({"a":["3c00","4000","0000","0000"],"b":["3c00","3c00","0000","0000"],"c":"00000000"})" + "\n" +
            R"({"a":["4200","4400","0000","0000"],"b":["3800","bc00","0000","0000"],"c":"00000000"})" + "\n");
    EXPECT_EQ(discern({"gemm", volta, file, file}).out, "40400000 bfc00000\n40e00000 c0200000\n");
}

TEST(GemmCommand, SaysWhatIsWrong) {
    const Files f;
    const auto error = [](const std::vector<std::string>& arguments) {
        const Outcome outcome = discern(arguments);
        EXPECT_EQ(outcome.status, 2);
        return outcome.err;
    };
    EXPECT_EQ(error({"gemm", volta, f.raw_a, f.npy_b}),
              "discern: " + f.raw_a + " is a raw file, which does not say its size; --size M,N,K must\n");
    EXPECT_EQ(error({"gemm", volta, f.raw_a, f.raw_b, "--size", "3,2,3"}),
              "discern: " + f.raw_a + " has only 12 bytes; 3 x 3 patterns of f16 in words of 2 bytes are 18\n");
    EXPECT_EQ(error({"gemm", volta, f.npy_a, f.npy_a}),
              "discern: A is 3 x 2 and B is 3 x 2: A must have as many columns as B has rows\n");
    const std::string wide = f.folder.file("wide.npy", npy("<u4", "(3, 2)", a + a));
    EXPECT_NE(error({"gemm", volta, wide, f.npy_b}).find("holds elements of type '<u4'; patterns of f16 are unsigned"),
              std::string::npos);
    EXPECT_NE(error({"gemm", volta, f.npy_a, f.npy_b, f.npy_c, "one-more"}).find("one argument too many"),
              std::string::npos);
    const std::string cut = f.folder.file("cut.npy", npy("<u2", "(3, 2)", a.substr(0, 4)));
    EXPECT_NE(error({"gemm", volta, cut, f.npy_b}).find("has 4 bytes of elements"), std::string::npos);
    // 2^64 elements are not none.
    const std::string endless = f.folder.file("endless.npy", npy("<u2", "(4294967296, 4294967296)", ""));
    EXPECT_NE(error({"gemm", volta, endless, f.npy_b}).find("has 0 bytes of elements"), std::string::npos);
    EXPECT_NE(error({"gemm", volta, f.npy_a, f.npy_b, "--size", "3,2"}).find("must be M,N,K"), std::string::npos);
    EXPECT_NE(error({"gemm", volta, f.npy_a, f.npy_b, "--kernels", "fast"}).find("must be best"), std::string::npos);
    EXPECT_NE(error({"gemm", "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3",
                     f.folder.file("p.npy", npy("|u1", "(1, 2)", "\x0f\x1f")), f.npy_b})
                  .find("row 1, column 2: 0x1f is not a pattern of e2m1, which has 4 bits"),
              std::string::npos);
    const std::string rows = f.folder.file("rows.csv", "0.5,-1\n2,4\n");
    EXPECT_NE(
        error({"gemm", volta, rows, rows}).find("; with --numbers it is read as a matrix, a row of numbers a line"),
        std::string::npos);
    EXPECT_EQ(discern({"gemm", volta, rows, rows, "--numbers"}).status, 0);
}

// Point 6 of a good first hour: numbers are taken as they are.
TEST(GemmNumbers, TextAndFloatsGiveWhatPatternsGive) {
    const Files f;
    const std::string text_a = f.folder.file("a.txt", "1 2\n3 4\n0 1\n"),
                      text_b = f.folder.file("b.csv", "# B\n1;0.5\n2;-0x1p0\n"),
                      text_c = f.folder.file("c.txt", "1,1\n0,0\n0,-0\n");
    EXPECT_EQ(discern({"gemm", volta, text_a, text_b, text_c, "--numbers"}).out, product);
    // f32, column by column: 1 3 0 2 4 1; and big-endian integers, which only --numbers takes for numbers.
    const std::string floats = words({0x3f800000, 0x40400000, 0, 0x40000000, 0x40800000, 0x3f800000}, 4);
    const std::string fortran = f.folder.file("f.npy", npy("<f4", "(3, 2)", floats, "True"));
    EXPECT_EQ(discern({"gemm", volta, fortran, f.npy_b, f.npy_c}).out, product);
    const std::string integers =
        f.folder.file("i.npy", npy(">i2", "(3, 2)", std::string("\0\1\0\2\0\3\0\4\0\0\0\1", 12)));
    EXPECT_EQ(discern({"gemm", volta, integers, f.npy_b, text_c, "--numbers"}).out, product);
    EXPECT_EQ(discern({"gemm", volta, integers, f.npy_b, f.npy_c}).status, 2);
    const std::string tenths = f.folder.file("t.txt", "0.1 2\n3 4\n0 1\n");
    const Outcome rounded = discern({"gemm", volta, tenths, text_b, text_c, "--numbers"});
    EXPECT_EQ(rounded.status, 0);
    EXPECT_NE(rounded.err.find("1 number is none of its format and was rounded (rne)"), std::string::npos)
        << rounded.err;
    const Outcome exact = discern({"gemm", volta, tenths, text_b, text_c, "--numbers", "--round", "exact"});
    EXPECT_EQ(exact.status, 2);
    EXPECT_EQ(exact.err, "discern: " + tenths + ":1: column 1: '0.1' is no number of f16, and must not be rounded\n");
}

// Point 8 of a good first hour: how far apart.
// D is 6 -0.5, 11 -2.5, 2 -1.
TEST(GemmNumbers, FewDigitsOfWhatIsCheckedAreSaid) {
    const Folder folder;
    const std::string one = folder.file("a.csv", "1,2\n3,4\n0,1\n"), other = folder.file("b.csv", "1,0.5\n2,-1\n"),
                      added = folder.file("c.csv", "1,1\n0,0\n0,-0.0\n");
    const auto check = [&](const std::string& text) {
        return discern({"gemm", volta, one, other, added, "--numbers", "--check", folder.file("d.csv", text)});
    };
    for (const auto& [text, is_said] : std::vector<std::pair<std::string, bool>>{
             {"6,0\n11,-2\n2,-1\n", true}, {"6.1,-0.5\n11,-2.5\n2,-1\n", true}, {"6.5,-0.5\n11,-2.5\n2,-1\n", false}}) {
        const Outcome outcome = check(text);
        EXPECT_EQ(outcome.status, 1) << text << outcome.err;
        EXPECT_EQ(outcome.err.find("has fewer digits than f32 needs (9)") != std::string::npos, is_said)
            << text << outcome.err;
    }
    const Outcome same = check("6,-0.5\n11,-2.5\n2,-1\n");
    EXPECT_EQ(same.status, 0) << same.out;
    EXPECT_EQ(same.err, "");
}

TEST(GemmOfTwoUnits, TheFirstDifferenceAndHowFar) {
    const Folder folder;
    const std::string row = folder.file("a.txt", "1 1 1 1\n0 0 0 0\n"),
                      column = folder.file("b.txt", "1024\n0.001953125\n0\n0\n"),
                      zero = folder.file("c.txt", "1024\n0\n");
    const std::string coarse = volta + "{F=10}";
    const Outcome same = discern({"gemm", volta, volta, row, column, zero, "--numbers"});
    EXPECT_EQ(same.status, 0) << same.err;
    EXPECT_EQ(same.out, "compared 2, different 0\n");
    const Outcome outcome = discern({"gemm", volta, coarse, row, column, zero, "--numbers"});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    // 2048 + 2^-9: beside 1024, F=23 keeps the 2^-9 and F=10 does not.
    EXPECT_NE(outcome.out.find("first difference at row 0, column 0 (from 0): "), std::string::npos) << outcome.out;
    EXPECT_EQ(last_line(outcome.out), "compared 2, different 1");
    const Outcome as_json = discern({"gemm", volta, coarse, row, column, zero, "--numbers", "--json"});
    EXPECT_EQ(as_json.status, 1);
    EXPECT_NE(as_json.out.find(R"("first":{"row":0,"column":0,)"), std::string::npos) << as_json.out;
    EXPECT_EQ(discern({"gemm", volta, "x86/fma.f32", row, column}).status, 2) << "other formats";
}

} // namespace
} // namespace discern::testing
