// Limits of inputs, by every command that has them.
#include "certificate/check.hpp"
#include "cli/program.hpp"

#include <gtest/gtest.h>

namespace discern::testing {
namespace {

const std::string one = "e4m3*e4m3+f32->f32 K=1 : round[f32 rne](fuse[exact](p*, c))",
                  other = "e4m3*e4m3+f32->f32 K=1 : round[f32 rz](fuse[exact](p*, c))";

// A question about no input would have every answer. 2^-8 is a subnormal number of e4m3.
TEST(InputLimitsOfCommands, LimitsThatLeaveNoInputAreTroubleForEachOfThem) {
    const std::vector<std::vector<std::string>> questions = {
        {"prove", one, other},
        {"prove", one, one},
        {"synth", one, other},
        {"same-bits", one, other},
        {"suite", one, other},
        {"same-bits", one, one},
        {"smt2", one, other},
        {"same-bits", one, other, "--K", "99"},
        {"compare", "mma(a,b,c)", "mma(word(a),word(b),c)", "--on", one, "--operands", "e4m3"},
    };
    const std::vector<std::vector<std::string>> others = {
        {"generate", one}, {"check", "model:" + one, one}, {"measure", one}};
    const std::vector<std::string> no_number = {"--values", "a:0.00390625..0.00390625", "--no-subnormals"};
    const std::vector<std::string> no_exponent = {"--values", "a:1..2", "--range", "a:3..4"};
    const auto expect_trouble = [](std::vector<std::string> words, const std::vector<std::string>& limits,
                                   const std::string& named) {
        words.insert(words.end(), limits.begin(), limits.end());
        const Outcome outcome = discern(words);
        EXPECT_EQ(outcome.status, 2) << words.front() << outcome.out;
        EXPECT_EQ(outcome.out, "") << words.front();
        EXPECT_NE(outcome.err.find("no input is left: no number of e4m3, the format of a, is within " + named),
                  std::string::npos)
            << words.front() << ": " << outcome.err;
    };
    for (const auto& words : questions) {
        expect_trouble(words, no_number, "--values a:0.00390625..0.00390625 and --no-subnormals; wider");
        expect_trouble(words, no_exponent, "--range a:3..4 and --values a:1..2; wider");
    }
    for (const auto& words : others)
        expect_trouble(words, no_number, "--values a:0.00390625..0.00390625 and --no-subnormals; wider");
}

TEST(InputLimitsOfCommands, ZerosPassEveryRangeOfExponents) {
    const Outcome outcome = discern({"prove", one, other, "--range", "a:100..101", "--values", "c:0..0"});
    EXPECT_EQ(outcome.status, can_prove() ? 0 : 3) << outcome.out << outcome.err;
}

// The ends of a range are patterns in a certificate, those of binary64 among more than 2^63 of them; exponents are any
// integers. The checker makes the circuit of the limits again.
TEST(InputLimitsOfCommands, CertificatesAreAboutTheSameInputs) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const Folder folder;
    const auto unit = [](const std::string& mode) {
        return "e2m1*e2m1+f64->f64 K=1 : round[f64 " + mode + "](fuse[F=60 rz](p*, c))";
    };
    const std::string certificate = folder.path("certificate");
    const Outcome outcome = discern({"prove", unit("rne"), unit("rz"), "--values", "c:-0.5..1", "--range",
                                     "b:-2147483648..2147483647,a:-9..2147483647", "--certificate", certificate});
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    const std::string claim = testing::read_file(certificate + "/claim.json");
    EXPECT_NE(claim.find("bfe0000000000000"), std::string::npos) << claim;
    EXPECT_NE(claim.find("3ff0000000000000"), std::string::npos) << claim;
    EXPECT_EQ(certificate::check_certificate(certificate).refused, "");
}

} // namespace
} // namespace discern::testing
