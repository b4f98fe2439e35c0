// --flags: what units raise, in files and by targets. The samples are made by tests/data/import/arithmetic_tests.py in
// exact fractions; models/oracle/flags_test.cpp has all inputs of small formats.
#include "program.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace discern::testing {
namespace {

const std::string with_flags = std::string(DISCERN_TEST_DATA) + "/import/testfloat.txt";

std::string ieee_unit(const std::string& format, const std::string& mode) {
    return format + "*" + format + "+" + format + "->" + format + " K=1 nan=any : round[" + format + " " + mode +
           "](fuse[exact](p*, c))";
}

/// The lines of one operation as vectors.
std::string vectors_of(const std::string& head, const std::string& operation, const std::string& mode) {
    std::string text;
    bool within = false;
    for (const std::string& line : lines(read_file(with_flags))) {
        if (line.starts_with("== "))
            within = line == "== " + head;
        else if (within)
            text += line + "\n";
    }
    return discern({"import", "testfloat", "-", "--operation", operation, "--round", mode}, text).out;
}

Outcome compared(const std::string& unit, const std::string& vectors, std::vector<std::string> more = {"--flags"}) {
    std::vector<std::string> arguments = {"eval", unit, "-", "--check"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return discern(arguments, vectors);
}

TEST(StatusFlags, OfTestFloatsLinesAreTheUnits) {
    std::size_t of_other_tininess = 0;
    for (const std::string format : {"f16", "f32", "f64"})
        for (const std::string operation : {"add", "sub", "mul", "mulAdd"})
            for (const std::string mode : {"rne", "rz", "rd", "ru", "rna"}) {
                const std::string vectors = vectors_of(format + "_" + operation + " " + mode, operation, mode);
                EXPECT_EQ(compared(ieee_unit(format, mode), vectors).out, "checked 30, mismatches 0\n") << mode;
                of_other_tininess +=
                    compared(ieee_unit(format, mode), vectors, {"--flags", "--tininess", "before"}).status == 1 ? 1 : 0;
            }
    EXPECT_LT(of_other_tininess, 10u); // which few vectors see
}

TEST(StatusFlags, AnyOtherIsAMismatch) {
    const std::string vectors = vectors_of("f16_mulAdd rne", "mulAdd", "rne");
    const std::vector<std::string> all = lines(vectors);
    for (std::size_t at = 1; at < all.size(); ++at) {
        const auto digits = all[at].find("\"flags\":\"") + 9;
        for (const int bit : {1, 2, 4}) {
            std::string changed = all[at];
            changed[digits + 1] = static_cast<char>('0' + ((changed[digits + 1] - '0') ^ bit));
            const std::string file = all[0] + "\n" + changed + "\n";
            EXPECT_EQ(compared(ieee_unit("f16", "rne"), file).status, 1) << changed;
            const Outcome without = compared(ieee_unit("f16", "rne"), file, {});
            EXPECT_EQ(without.out, "checked 1, mismatches 0\n");
            EXPECT_EQ(without.err, "discern: the flags of 1 vector were not compared; --flags does\n");
        }
    }
}

TEST(StatusFlags, AreWrittenAndReadAgain) {
    const std::string vectors = vectors_of("f32_mulAdd rz", "mulAdd", "rz");
    const Outcome written = discern({"eval", ieee_unit("f32", "rz"), "-", "--flags"}, vectors);
    ASSERT_EQ(written.status, 0) << written.err;
    const auto before = lines(vectors), after = lines(written.out);
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 1; i < before.size(); ++i)
        if (before[i].find("7fc00000") == std::string::npos) {
            EXPECT_EQ(before[i], after[i]);
        }
    EXPECT_EQ(compared(ieee_unit("f32", "rz"), written.out).out, "checked 30, mismatches 0\n");
    // What a unit gives anew has no flags unless they are asked for.
    EXPECT_EQ(discern({"eval", ieee_unit("f32", "rz"), "-"}, vectors).out.find("\"flags\":"), std::string::npos);
    const Outcome json =
        discern({"eval", "x86/fma.f32", "--a", "00800001", "--b", "3f000000", "--c", "00000000", "--flags", "--json"});
    EXPECT_NE(json.out.find("\"flags\":\"03\""), std::string::npos) << json.out;
}

TEST(StatusFlags, OfATargetAreCompared) {
    const auto checked_with = [](const std::string& answer, const std::vector<std::string>& more) {
        // Answers every vector with +0 and what is given.
        std::vector<std::string> arguments = {"check",
                                              R"(exec:read header; while read vector; do echo '{"d":"0000")" + answer +
                                                  "}'; done",
                                              ieee_unit("f16", "rne"),
                                              "-n",
                                              "200",
                                              "--show",
                                              "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return discern(arguments);
    };
    const std::string flags = R"(,"flags":"10")";
    const Outcome wrong = checked_with(flags, {"--flags", "--finite"});
    EXPECT_EQ(wrong.status, 1) << wrong.err;
    EXPECT_NE(wrong.out.find("the target 10 (invalid)"), std::string::npos) << wrong.out;
    const Outcome none = checked_with("", {"--flags"});
    EXPECT_EQ(none.status, 2);
    EXPECT_NE(none.err.find("the target gives no flags, which were to be compared"), std::string::npos) << none.err;
    const Outcome bad = checked_with(R"(,"flags":"99")", {});
    EXPECT_EQ(bad.status, 2);
    EXPECT_NE(bad.err.find("whose flags are '99'; they must be two hexadecimal digits"), std::string::npos) << bad.err;
}

TEST(StatusFlags, OfAProgramThatIsRightAreTheUnits) {
    const std::string unit = ieee_unit("f16", "rne");
    const auto ask = [&](const std::string& tininess) {
        return discern({"check",
                        "exec:'" + std::string(DISCERN_PROGRAM) + "' eval '" + unit + "' - --flags --tininess " +
                            tininess + " | { read h; cat; }",
                        unit, "-n", "4000", "--flags"});
    };
    EXPECT_EQ(ask("after").out, "checked 4000, mismatches 0\n");
    const Outcome before = ask("before");
    EXPECT_EQ(before.status, 1);
    // The vectors on which the two definitions differ are those that round to the smallest normal number.
    EXPECT_NE(before.out.find("it raises 01 (inexact), the target 03 (underflow, inexact)"), std::string::npos)
        << before.out;
}

TEST(StatusFlags, WhichSaysWhetherTheyAreTheUnits) {
    const std::string rounded = vectors_of("f32_mulAdd rne", "mulAdd", "rne");
    const Outcome same = discern({"which", "-"}, rounded);
    EXPECT_NE(same.out.find("\nflags: as IEEE 754 has them in all of 30"), std::string::npos) << same.out << same.err;
    // −2^-126 + 2^-275 rounds to the smallest normal number: it is tiny only before it is rounded.
    const std::string head = lines(rounded)[0] + "\n";
    const std::string boundary = R"({"a":["80800000"],"b":["80000001"],"c":"80800000","d":"80800000","flags":")";
    const std::string vectors = rounded + boundary + "01\"}\n";
    EXPECT_NE(discern({"which", "-"}, vectors)
                  .out.find("\nflags: as IEEE 754 has them in all of 31, with results that are "
                            "tiny after rounding"),
              std::string::npos);
    const Outcome json = discern({"which", "-", "--json"}, head + boundary + "04\"}\n");
    EXPECT_NE(json.out.find("\"other_if_tiny_after\":1"), std::string::npos) << json.out;
}

TEST(StatusFlags, WrongInputIsOneSentence) {
    const std::string head = R"({"discern":1,"unit":"x86/fma.f32"})"
                             "\n";
    const auto with = [&](const std::string& flags) {
        return head + R"({"a":["3f800000"],"b":["3f800000"],"c":"00000000","d":"3f800000","flags":)" + flags + "}\n";
    };
    for (const auto& [flags, said] : std::map<std::string, std::string>{
             {"\"20\"", "standard input:2: field flags: is '20'; they must be two hexadecimal digits"},
             {"\"\"", "field flags: is ''; they must be"},
             {"1", "field flags: is a number; they must be"},
             {"[\"01\"]", "field flags: is a list; they must be"},
             {"{}", "field flags: is an object; they must be"},
             {"null", "field flags: is null; they must be"}}) {
        const Outcome outcome = compared("x86/fma.f32", with(flags), {});
        EXPECT_EQ(outcome.status, 2) << flags;
        EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
    }
    EXPECT_NE(compared("x86/fma.f32", head + R"({"a":["3f800000"],"b":["3f800000"],"c":"00000000","d":"3f800000"})"
                                             "\n")
                  .err.find("the vector has no field flags, which --check --flags compares"),
              std::string::npos);
    for (const auto& [arguments, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"eval", "volta/mma.m8n8k4.f32.f16.f16.f32", "-", "--flags"},
              "the flags of volta/mma.m8n8k4.f32.f16.f16.f32 are not defined: it has a rounding that flushes"},
             {{"eval", "x86/fma.f32@[K=8]", "-", "--flags"}, "is a kernel; flags are defined of a unit"},
             {{"prove", "A100/f16", "rtl:no.sv", "--flags-port", "fflags"}, "are not defined: it has"},
             {{"prove", "x86/fma.f32", "rtl:no.sv", "--flags-port", "fflags", "--checked"}, "there are none of flags"},
             {{"prove", "rtl:no.sv", "rtl:no.sv", "--flags-port", "fflags", "--formats", "f32,f32,f32,f32", "--K", "1"},
              "a unit must say which flags are right"},
             {{"prove", "x86/fma.f32", "rtl:no.sv", "--flags-port", "fflags", "--cycles", "auto"}, "ask about d"},
             {{"eval", "x86/fma.f32", "-", "--flags", "--text"}, "have no place for --flags"},
             {{"eval", "x86/fma.f32", "-", "--flags", "--tininess", "never"}, "--tininess"}}) {
        const Outcome outcome = discern(arguments);
        EXPECT_EQ(outcome.status, 2) << arguments[1];
        EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
    }
}

} // namespace
} // namespace discern::testing
