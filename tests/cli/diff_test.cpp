// discern diff: observations of the same vectors.
#include "program.hpp"

#include <gtest/gtest.h>

namespace discern::testing {
namespace {

std::string header(const std::string& more) {
    return R"({"discern":1,"unit":"volta/mma.m8n8k4.f32.f16.f16.f32")" + more + "}\n";
}

std::string vector(const std::string& c, const std::string& d) {
    return R"({"a":["3c00","0000","0000","0000"],"b":["3c00","0000","0000","0000"],"c":")" + c + R"(","d":")" + d +
           "\"}\n";
}

class Diff : public ::testing::Test {
  protected:
    Outcome run(const std::string& one, const std::string& other, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"diff", folder.file("one", one), folder.file("other", other)});
        return discern(more);
    }
    Folder folder;
};

TEST_F(Diff, TheSame) {
    const std::string text = header("") + vector("00000000", "3f800000") + vector("3f800000", "40000000");
    const Outcome outcome = run(text, text);
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.out, "compared 2, different 0\n");
}

TEST_F(Diff, ShowsWhereTheyDiffer) {
    const Outcome outcome =
        run(header(R"(,"target":"a V100")") + vector("00000000", "3f800000") + vector("3f800000", "40000000"),
            header("") + vector("00000000", "3f800000") + vector("3f800000", "40000001"));
    EXPECT_EQ(outcome.status, 1);
    const auto all = lines(outcome.out);
    ASSERT_EQ(all.size(), 8u) << outcome.out;
    EXPECT_EQ(all[0], "--- " + folder.path("one") + ": a V100");
    EXPECT_EQ(all[1], "+++ " + folder.path("other") + ": volta/mma.m8n8k4.f32.f16.f16.f32");
    EXPECT_EQ(all[2], "line 3: 40000000 (0x1p+1, 2) and 40000001 (0x1.000002p+1, 2.000000238418579)");
    EXPECT_TRUE(all[3].ends_with(R"("c":"3f800000","d":["40000000","40000001"]})")) << all[3];
    EXPECT_EQ(all[4], "1 apart: at most 1 ulp, 1 on average; relative error at most 1.19e-07, 1.19e-07 on average");
    EXPECT_EQ(all[5], "  ulp:  1: 1");
    EXPECT_EQ(all[6], "how units get there, the first of them: discern explain volta/mma.m8n8k4.f32.f16.f16.f32 --a "
                      "3c00,0000,0000,0000 --b 3c00,0000,0000,0000 --c 3f800000");
    EXPECT_EQ(all[7], "compared 2, different 1");
}

// Two units that can be compared are explained together, and one that is none of ours not at all.
TEST_F(Diff, ExplainsWhatTheFilesAreOf) {
    const std::string one = vector("3f800000", "40000000"), other = vector("3f800000", "40000001");
    const auto named = [](const std::string& unit) { return R"({"discern":1,"unit":")" + unit + "\"}\n"; };
    const Outcome both = run(header("") + one, named("turing/mma.m16n8k8.f32.f16.f16.f32{K=4}") + other);
    EXPECT_NE(
        both.out.find("discern explain volta/mma.m8n8k4.f32.f16.f16.f32 'turing/mma.m16n8k8.f32.f16.f16.f32{K=4}' --a "
                      "3c00,0000,0000,0000"),
        std::string::npos)
        << both.out;
    const std::string bare = R"({"discern":1,"target":"a board","a":"f16","b":"f16","c":"f32","d":"f32","K":4})"
                             "\n";
    const Outcome none = run(bare + one, bare + other);
    EXPECT_EQ(none.status, 1) << none.err;
    EXPECT_EQ(none.out.find("explain"), std::string::npos) << none.out;
}

TEST_F(Diff, NanCountsByItsBitsUnlessAHeaderSaysAny) {
    const std::string one = vector("7fc00000", "7fffffff"), other = vector("7fc00000", "7fc00000");
    EXPECT_EQ(run(header("") + one, header("") + other).status, 1);
    EXPECT_EQ(run(header("") + one, header(R"(,"nan":"any")") + other).status, 0);
    EXPECT_EQ(run(header(R"(,"nan":"any")") + one, header(R"(,"nan":"exact")") + other).status, 0);
    EXPECT_EQ(run(R"({"discern":1,"unit":"volta/mma.m8n8k4.f32.f16.f16.f32{nan=any}"})"
                  "\n" +
                      one,
                  header("") + other)
                  .status,
              0);
}

TEST_F(Diff, DifferentVectorsAreTrouble) {
    const std::string text = header("") + vector("00000000", "3f800000");
    const Outcome inputs = run(text, header("") + vector("80000000", "3f800000"));
    EXPECT_EQ(inputs.status, 2);
    EXPECT_EQ(inputs.err, "discern: " + folder.path("other") + ":2: field c: differs from that of " +
                              folder.path("one") + ":2; diff compares results of the same vectors\n");
    const Outcome shorter = run(text + vector("00000000", "3f800000"), text);
    EXPECT_EQ(shorter.status, 2);
    EXPECT_EQ(shorter.err, "discern: " + folder.path("other") + " ends after 1 vector, but " + folder.path("one") +
                               " goes on; diff compares results of the same vectors\n");
    EXPECT_EQ(shorter.out, "");
    EXPECT_EQ(run(text, text + vector("00000000", "3f800000")).status, 2);
    EXPECT_EQ(run(header(""), header("")).status, 2) << "nothing to compare";
}

TEST_F(Diff, DifferentShapesAreTrouble) {
    const Outcome outcome = run(header(""), R"({"discern":1,"unit":"hopper/wgmma.m64n8k16.f32.f16.f16"})");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("does not agree with " + folder.path("one")), std::string::npos) << outcome.err;
}

TEST_F(Diff, MissingResultsAreTrouble) {
    const std::string bare = R"({"a":["3c00","0000","0000","0000"],"b":["3c00","0000","0000","0000"],"c":"00000000"})";
    const Outcome outcome = run(header("") + vector("00000000", "3f800000"), header("") + bare);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err, "discern: " + folder.path("other") +
                               ":2: field d: missing; diff compares the results that are in the file\n");
}

TEST_F(Diff, ReadsOtherFormsAsAUnits) {
    const std::string csv = "a,b,c,d\n3c00 0000 0000 0000,3c00 0000 0000 0000,00000000,3f800001\n";
    EXPECT_EQ(last_line(run(header("") + vector("00000000", "3f800000"), csv).out), "compared 1, different 1")
        << "the first says K";
    EXPECT_EQ(run(csv, header("") + vector("00000000", "3f800000")).status, 2) << "csv does not say its K";
    EXPECT_EQ(run(csv, csv, {"--unit", "volta/mma.m8n8k4.f32.f16.f16.f32"}).out, "compared 1, different 0\n");
}

TEST_F(Diff, ShowsNoMoreThanAskedFor) {
    std::string one = header(""), other = header("");
    for (int i = 0; i < 5; ++i) {
        one += vector("00000000", "3f800000");
        other += vector("00000000", "3f800001");
    }
    EXPECT_EQ(lines(run(one, other, {"--show", "2"}).out).size(), 2u + 2 * 2 + 4);
    EXPECT_EQ(lines(run(one, other).out).size(), 2u + 2 * 5 + 4);
}

} // namespace
} // namespace discern::testing
