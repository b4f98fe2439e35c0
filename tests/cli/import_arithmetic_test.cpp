// Tests of IEEE 754 arithmetic in the forms of others: lines of TestFloat and of IBM's FPgen suite. The samples are
// made by tests/data/import/arithmetic_tests.py in exact fractions.
#include "program.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace discern::testing {
namespace {

const std::string arithmetic_samples = std::string(DISCERN_TEST_DATA) + "/import/";

/// The multiply-add of IEEE 754 in that format: x86/fma.f32 in notation, and in others.
std::string unit_of(const std::string& format, const std::string& mode) {
    return format + "*" + format + "+" + format + "->" + format + " K=1 nan=any : round[" + format + " " + mode +
           "](fuse[exact](p*, c))";
}

/// The sections of testfloat.txt by their heads, "f16_mulAdd rz".
std::map<std::string, std::string> sections() {
    std::map<std::string, std::string> all;
    std::string head;
    for (const std::string& line : lines(read_file(arithmetic_samples + "testfloat.txt")))
        if (line.starts_with("== "))
            head = line.substr(3);
        else
            all[head] += line + "\n";
    return all;
}

struct Section {
    std::string format, operation, mode;
};
Section parts(const std::string& head) {
    const std::size_t line = head.find('_'), blank = head.find(' ');
    return {head.substr(0, line), head.substr(line + 1, blank - line - 1), head.substr(blank + 1)};
}

Outcome import_lines(const std::string& kind, const std::string& text, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"import", kind, "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return discern(arguments, text);
}

std::string checked(const std::string& unit, const std::string& vectors) {
    return discern({"eval", unit, "-", "--check"}, vectors).out;
}
std::size_t mismatches(const std::string& unit, const std::string& vectors) {
    const std::string said = checked(unit, vectors);
    const std::size_t at = said.rfind("mismatches ");
    return at == std::string::npos ? 0 : std::stoul(said.substr(at + 11));
}

TEST(ImportArithmetic, AMultiplyAddGivesWhatTestFloatsLinesSay) {
    const auto all = sections();
    ASSERT_EQ(all.size(), 60u);
    std::map<std::string, std::size_t> otherwise; // mismatches of a unit that rounds in another mode
    for (const auto& [head, text] : all) {
        const auto [format, operation, mode] = parts(head);
        const Outcome outcome = import_lines("testfloat", text, {"--operation", operation, "--round", mode});
        ASSERT_EQ(outcome.status, 0) << head << outcome.err;
        EXPECT_EQ(outcome.err,
                  "discern: standard input: 30 vectors of 30 lines\n"
                  "discern: 30 vectors with flags, which eval --check compares if it is asked to (--flags)\n");
        EXPECT_EQ(checked(unit_of(format, mode), outcome.out), "checked 30, mismatches 0\n") << head;
        for (const std::string other : {"rne", "rz", "rd", "ru", "rna"})
            if (other != mode) otherwise[mode + " " + other] += mismatches(unit_of(format, other), outcome.out);
    }
    EXPECT_EQ(otherwise.size(), 20u);
    for (const auto& [modes, count] : otherwise) EXPECT_GT(count, 0u) << modes;
}

TEST(ImportArithmetic, ADamagedResultIsAMismatch) {
    const std::string text = sections().at("f16_mulAdd rne");
    constexpr std::size_t result = 15, last = 18; // of "aaaa bbbb cccc dddd ff"
    std::size_t nans = 0, found = 0, tests = 0;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1, ++tests) {
        std::string damaged = text;
        damaged[at + last] = text[at + last] == '0' ? '1' : '0';
        nans += text.substr(at + result, 4) == "7E00" ? 1 : 0; // any NaN is as good
        const Outcome outcome = import_lines("testfloat", damaged, {});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        found += mismatches(unit_of("f16", "rne"), outcome.out);
    }
    EXPECT_EQ(tests, 30u);
    EXPECT_EQ(found, tests - nans);
    EXPECT_LT(nans, 15u);
}

TEST(ImportArithmetic, TheCataloguesUnitAndTheOracleAgree) {
    const auto all = sections();
    for (const std::string operation : {"add", "sub", "mul", "mulAdd"}) {
        const Outcome outcome = import_lines("testfloat", all.at("f32_" + operation + " rne"),
                                             {"--operation", operation, "--unit", "x86/fma.f32"});
        EXPECT_EQ(checked("x86/fma.f32", outcome.out), "checked 30, mismatches 0\n") << operation << outcome.err;
        EXPECT_EQ(discern({"eval", "x86/fma.f32", "-", "--check", "--oracle"}, outcome.out).out,
                  "checked 30, mismatches 0\n");
    }
}

TEST(ImportArithmetic, SignsOfZeroArePreserved) {
    // Products that are zeros of both signs in both directions, and sums of them. A wrong neutral zero would change
    // one.
    for (const auto& [mode, sum] : std::map<std::string, std::string>{{"rne", "0000"}, {"rd", "8000"}}) {
        const Outcome products = import_lines("testfloat", "0000 3C00 0000 00\n8000 3C00 8000 00\n",
                                              {"--operation", "mul", "--round", mode});
        EXPECT_EQ(checked(unit_of("f16", mode), products.out), "checked 2, mismatches 0\n") << mode;
        const Outcome sums = import_lines("testfloat", "0000 8000 " + sum + " 00\n8000 8000 8000 00\n",
                                          {"--operation", "add", "--round", mode});
        EXPECT_EQ(checked(unit_of("f16", mode), sums.out), "checked 2, mismatches 0\n") << mode;
    }
}

TEST(ImportArithmetic, LinesOfCoursesAreRead) {
    // 1.5·1 + 0, by rz and by rne; a product that the unit negates; a sum that takes no part of y, and an invalid one
    // that negates z; a line that is commented out
    const std::string text = "// Multiply, RZ\r\n"
                             "3e00_3c00_0000_08_3e00_0 // 1.5 * 1.0 = 1.5 NV: 0\r\n"
                             "3e00_3c00_0000_18_3e00_0\n"
                             "3e00_3c00_0000_0e_be00_0\n"
                             "3e00_3e00_0000_04_3e00_0\n"
                             "7c00_3e00_7c00_05_7e00_8\n"
                             "// skip denorm: 0001_3c00_0000_08_0001_0\n";
    const Outcome outcome = import_lines("testfloat", text, {"--round", "rz"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(lines(outcome.out).size(), 5u);
    EXPECT_EQ(last_line(outcome.out), R"({"a":["7c00"],"b":["3c00"],"c":"fc00","d":"7e00","flags":"10"})");
    EXPECT_EQ(discern({"eval", unit_of("f16", "rz"), "-", "--check", "--flags"}, outcome.out).out,
              "checked 4, mismatches 0\n");
    EXPECT_EQ(outcome.err, "discern: standard input: 4 vectors of 7 lines\n"
                           "discern: 4 vectors with flags, which eval --check compares if it is asked to (--flags)\n"
                           "discern: skipped: 1 line rounded by rne, as their words of control say\n"
                           "discern: skipped: 2 lines without a test\n");
    // 1 + 2^-11 and −1 − 2^-11, whose results are 1 and −1 or their neighbours, by each of the modes
    const std::string by_modes = "3c00_0000_1000_04_3c00_1\n3c00_0000_1000_14_3c00_1\n"
                                 "3c00_0000_1000_24_3c00_1\n3c00_0000_1000_34_3c01_1\n"
                                 "bc00_0000_9000_04_bc00_1\nbc00_0000_9000_14_bc00_1\n"
                                 "bc00_0000_9000_24_bc01_1\nbc00_0000_9000_34_bc00_1\n";
    for (const std::string mode : {"rz", "rne", "rd", "ru"}) {
        const Outcome of_mode = import_lines("testfloat", by_modes, {"--round", mode});
        EXPECT_EQ(checked(unit_of("f16", mode), of_mode.out), "checked 2, mismatches 0\n") << mode;
    }
    for (const auto& [line, complaint] : std::vector<std::pair<std::string, std::string>>{
             {"3e00_3c00_0000_48_3e00_0", "'48' is no word of control; a sum of 20, 10, 8, 4, 2 and 1"},
             {"3e00_3c00_0000_08_3e00_10", "'10' is no set of flags; a sum of 8, 4, 2 and 1"},
             {"3e00_3c00_0000_3e00_20", "'20' is no set of flags; a sum of 10, 8, 4, 2 and 1"}}) {
        const Outcome bad = import_lines("testfloat", line + "\n", {"--round", "rz"});
        EXPECT_EQ(bad.status, 2);
        EXPECT_NE(bad.err.find(complaint), std::string::npos) << bad.err;
    }
    const Outcome underscores = import_lines("testfloat", "3F800000_40000000_40400000_40A00000_00\n", {});
    EXPECT_EQ(last_line(underscores.out),
              R"({"a":["3f800000"],"b":["40000000"],"c":"40400000","d":"40a00000","flags":"00"})");
    // Without flags, nothing is said of them.
    EXPECT_EQ(import_lines("testfloat", "3C00 3C00 3C00 4000\n", {}).err,
              "discern: standard input: 1 vector of 1 line\n");
}

TEST(ImportArithmetic, AMultiplyAddGivesWhatFptestSays) {
    for (const std::string mode : {"rne", "rz", "rd", "ru", "rna"}) {
        const Outcome outcome =
            discern({"import", "fptest", arithmetic_samples + "arithmetic.fptest", "--round", mode});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(lines(outcome.out).size(), 121u) << outcome.err; // a header and four operations
        EXPECT_EQ(checked(unit_of("f32", mode), outcome.out), "checked 120, mismatches 0\n");
        EXPECT_GT(mismatches(unit_of("f32", mode == "rz" ? "rne" : "rz"), outcome.out), 0u);
    }
}

TEST(ImportArithmetic, EveryLineOfFptestIsReadOrCounted) {
    const std::string text = "Floating point tests\n\n"
                             "b32*+ =0 i +1.000000P0 +1.400000P0 -Zero -> +1.400000P0\n"
                             "b32*- =0 +1.000000P0 +1.400000P0 +0.000001P-126 -> +1.400000P0 x\n"
                             "b32- =0 x +1.000000P0 -1.7FFFFFP-126 -> +1.000000P0 x\n"
                             "b32* =0 xu +0.000001P-126 +1.000000P-1 -> +1.000000P42 xu\n"
                             "b32* =0 xo +1.000000P127 +1.000000P127 -> +1.000000P62 o\n"
                             "b32+ =0 i +Inf -Inf -> # i\n"
                             "b32+ > +1.000000P0 +1.000000P0 -> +1.000000P1\n"
                             "b64+ =0 +1.0000000000000P0 +1.0000000000000P0 -> +1.0000000000000P1\n"
                             "b128+ =0 +1.0P0 +1.0P0 -> +1.0P1\n"
                             "b32V =0 +1.000000P0 -> +1.000000P0\n"
                             "b32b64cff =0 +1.000000P0 -> +1.0000000000000P0\n"
                             "d64+ =0 +1E0 +1E0 -> +2E0\n";
    const Outcome outcome = import_lines("fptest", text, {});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto written = lines(outcome.out);
    ASSERT_EQ(written.size(), 4u);
    EXPECT_EQ(written[1], R"({"a":["3f800000"],"b":["3fc00000"],"c":"80000000","d":"3fc00000","flags":"00"})");
    EXPECT_EQ(written[2], R"({"a":["3f800000"],"b":["3fc00000"],"c":"80000001","d":"3fc00000","flags":"01"})");
    EXPECT_EQ(written[3], R"({"a":["3f800000"],"b":["3f800000"],"c":"00ffffff","d":"3f800000","flags":"01"})");
    EXPECT_EQ(checked(unit_of("f32", "rne"), outcome.out), "checked 3, mismatches 0\n");
    EXPECT_EQ(outcome.err, "discern: standard input: 3 vectors of 14 lines\n"
                           "discern: 3 vectors with flags, which eval --check compares if it is asked to (--flags)\n"
                           "discern: skipped: 1 line of decimal numbers\n"
                           "discern: skipped: 1 line of formats other than b16, b32 and b64\n"
                           "discern: skipped: 1 line of other formats than f32\n"
                           "discern: skipped: 2 lines of other operations than + - * *+ *-\n"
                           "discern: skipped: 1 line rounded by ru\n"
                           "discern: skipped: 2 lines whose result is that of a trap, with another exponent\n"
                           "discern: skipped: 1 line without a result, since a trap was taken\n"
                           "discern: skipped: 2 lines without a test\n");
}

TEST(ImportArithmetic, OneFormatOfAFileIsChosenByAUnit) {
    const std::string text = "b32+ =0 +1.000000P0 +1.000000P0 -> +1.000000P1\n"
                             "b64+ =0 +1.0000000000000P0 +1.8000000000000P0 -> +1.4000000000000P1\n"
                             "b16+ =0 +1.000P0 +1.200P0 -> +1.100P1\n";
    for (
        const auto& [format, wanted] : std::map<std::string, std::string>{
            {"f16", R"({"a":["3c00"],"b":["3c00"],"c":"3e00","d":"4100","flags":"00"})"},
            {"f64",
             R"({"a":["3ff0000000000000"],"b":["3ff0000000000000"],"c":"3ff8000000000000","d":"4004000000000000","flags":"00"})"}}) {
        const Outcome outcome = import_lines("fptest", text, {"--unit", unit_of(format, "rne")});
        EXPECT_EQ(last_line(outcome.out), wanted) << outcome.err;
        EXPECT_EQ(checked(unit_of(format, "rne"), outcome.out), "checked 1, mismatches 0\n");
    }
}

TEST(ImportArithmetic, WrongInputIsOneSentence) {
    struct Wrong {
        std::string kind, text;
        std::vector<std::string> more;
        std::string said;
    };
    const std::string fptest = "b32+ =0 +1.000000P0 +1.000000P0 -> +1.000000P1\n";
    const std::vector<Wrong> wrong = {
        {"testfloat",
         "3C00 3C00 4000 00\n",
         {},
         "standard input:1: the line has two operands and a result, so --operation"},
        {"testfloat",
         "3C00 3C00 3C00 4000 00\n",
         {"--operation", "mul"},
         "has 3 operands and a result; the operation has 2"},
        {"testfloat",
         "3C00 3C00 4000 00\n",
         {"--operation", "mulAdd"},
         "has 2 operands and a result; the operation has 3"},
        {"testfloat", "3C00 3C00 00\n", {}, "standard input:1: the line has 2 patterns; add, sub and mul have 3"},
        {"testfloat", "3C00 3C00 3C00 4000 20\n", {}, "'20' is no set of flags"},
        {"testfloat", "3C00 3C00 3C00 4xx0 00\n", {}, "standard input:1: '4xx0' is not hexadecimal"},
        {"testfloat", "3C00 3C00 3C00 4000 00\n3F800000 3C00 3C00 3C00 00\n", {}, "standard input:2: '3F800000'"},
        {"testfloat",
         "3C 3C00 3C00 4000 00\n",
         {},
         "'3C' has 2 digits; a pattern of f16 has 4, of f32 8 and of f64 16"},
        {"testfloat", "3C00\n", {"--operation", "div"}, "there is no operation 'div' among those of a multiply-add"},
        {"testfloat", "// nothing\n", {}, "no line is a test of a multiply-add that is rounded by rne; 1 line without"},
        {"testfloat", "3C00\n", {"--round", "exact"}, "--round must be the mode of the results"},
        {"testfloat", "3C00\n", {"--K", "1"}, "--formats and --K cannot be given"},
        {"testfloat", "3C00\n", {"--unit", "x86/dpps"}, "such tests are of f32*f32+f32->f32 K=1"},
        {"fptest", fptest, {"--operation", "add"}, "--operation cannot be given"},
        {"fptest",
         fptest,
         {"--round", "rz"},
         "no line is a test of a multiply-add that is rounded by rz; 1 line rounded"},
        {"fptest", "b32+ =2 +1.000000P0 +Zero -> +Zero\n", {}, "'=2' is no rounding mode; they are =0, 0, >, < and =^"},
        {"fptest", "b32+ =0 +1.000000P0 -> +Zero\n", {}, "the test has 1 operand; + has 2"},
        {"fptest", "b32+ =0 +1.800000P0 +Zero -> +Zero\n", {}, "'+1.800000P0' is no number of f32"},
        {"fptest", "b32+ =0 +1.000000P128 +Zero -> +Zero\n", {}, "'+1.000000P128' is no number of f32"},
        {"fptest", "b32+ =0 +0.000001P-125 +Zero -> +Zero\n", {}, "'+0.000001P-125' is no number of f32"},
        {"fptest", "b32+ =0 1.000000P0 +Zero -> +Zero\n", {}, "'1.000000P0' is no number of f32"},
        {"fptest", "b32+ =0 +Zero +Zero ->\n", {}, "there is no result behind ->"},
        {"fptest", "b32+ =0 +Zero +Zero -> +Zero y\n", {}, "'y' is no set of exceptions"},
        {"fptest", "b32+ -> +Zero\n", {}, "'->' is no rounding mode"},
    };
    for (const Wrong& one : wrong) {
        const Outcome outcome = import_lines(one.kind, one.text, one.more);
        EXPECT_EQ(outcome.status, 2) << one.said;
        if (lines(one.text).size() == 1) { // else lines before the wrong one are printed already
            EXPECT_EQ(outcome.out, "") << one.said;
        }
        EXPECT_EQ(lines(outcome.err).size(), 1u) << outcome.err;
        EXPECT_NE(outcome.err.find(one.said), std::string::npos) << outcome.err << "wanted: " << one.said;
    }
}

} // namespace
} // namespace discern::testing
