// Ctrl-C while a solver works: the answer is "unknown", and nothing is left running.
#include "program.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace discern::testing {
namespace {

TEST(Interrupt, EndsTheSolverAndSaysUnknown) {
    const Folder folder;
    // A "solver" that never answers, and says which process it is.
    const std::string solver = folder.file("solver", "echo $$ >" + folder.path("pid") + "; exec sleep 97");
    const std::string script = folder.file(
        "script", std::string(DISCERN_PROGRAM) +
                      " prove volta/mma.m8n8k4.f32.f16.f16.f32 'turing/mma.m16n8k8.f32.f16.f16.f32{K=4}' --timeout 60"
                      " --solver 'sh " +
                      solver + "' >" + folder.path("out") + " 2>" + folder.path("err") +
                      " & child=$!\n"
                      "for i in $(seq 50); do test -s " +
                      folder.path("pid") +
                      " && break; sleep 0.1; done\n"
                      "kill -INT $child; wait $child; echo status $? >>" +
                      folder.path("out") +
                      "\n"
                      "sleep 0.2; kill -0 $(cat " +
                      folder.path("pid") + ")/status 2>/dev/null && echo alive >>" + folder.path("out") + "; true\n");
    ASSERT_EQ(std::system(("sh " + script).c_str()), 0);
    const std::string out = read_file(folder.path("out"));
    EXPECT_GT(read_file(folder.path("pid")).size(), 1u) << "the solver was never started";
    EXPECT_EQ(out.rfind("unknown: ", 0), 0u) << out;
    EXPECT_NE(out.find("\nstatus 3\n"), std::string::npos) << out;
    EXPECT_EQ(out.find("alive"), std::string::npos) << out;
    EXPECT_NE(read_file(folder.path("err")).find("interrupted"), std::string::npos);
}

/// What a command says that reads a file which hardly ends, and is interrupted after some lines of it.
Outcome interrupted(const Folder& folder, const std::string& first_line, const std::string& line,
                    const std::string& command) {
    const std::string endless = folder.path("endless"), begun = folder.path("begun"), out = folder.path("out"),
                      err = folder.path("err");
    const std::string script = folder.file(
        "script",
        "mkfifo " + endless + "\n(printf '%s\\n' '" + first_line + "'; for i in $(seq 1000); do printf '%s\\n' '" +
            line + "'; sleep 0.02; test $i = 20 && echo >" + begun + "; done) >" + endless + " 2>/dev/null &\n" +
            DISCERN_PROGRAM + " " + command + " >" + out + " 2>" + err + " & child=$!\nuntil test -e " + begun +
            "; do sleep 0.05; done; kill -INT $child; wait $child; echo $? >>" + folder.path("status") + "\n");
    EXPECT_EQ(std::system(("sh " + script).c_str()), 0);
    return {
        .status = std::atoi(read_file(folder.path("status")).c_str()), .out = read_file(out), .err = read_file(err)};
}

/// A line of an exact d for x86/fma.f32: 1 * 1 + 1.
const std::string two = R"({"a":["3f800000"],"b":["3f800000"],"c":"3f800000","d":"40000000"})";
const std::string of_fma = R"({"discern":1,"unit":"x86/fma.f32"})";

TEST(Interrupt, AnImportSaysHowFarItCameAndKeepsTheOldFile) {
    const Folder folder;
    const std::string old = folder.file("old", "old\n");
    const Outcome outcome = interrupted(folder, "a,b,c,d", "1.0,1.0,1.0,2.0",
                                        "import csv " + folder.path("endless") + " --unit x86/fma.f32 -o " + old);
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("discern: interrupted; reading lines: ")) << outcome.err;
    EXPECT_GT(std::atoi(outcome.err.substr(outcome.err.rfind(' ')).c_str()), 2) << outcome.err;
    EXPECT_EQ(read_file(old), "old\n");
}

TEST(Interrupt, AnExportSaysHowFarItCame) {
    const Folder folder;
    const Outcome outcome = interrupted(folder, of_fma, two, "export --as c " + folder.path("endless"));
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("discern: interrupted; reading vectors: ")) << outcome.err;
    EXPECT_EQ(outcome.out, "");
}

TEST(Interrupt, AComparisonPrintsWhatItHas) {
    const Folder folder;
    const Outcome right = interrupted(folder, of_fma, two, "eval x86/fma.f32 " + folder.path("endless") + " --check");
    EXPECT_EQ(right.status, 3) << right.out << right.err;
    EXPECT_TRUE(right.out.starts_with("checked ")) << right.out;
    EXPECT_NE(right.out.find(", mismatches 0\n"), std::string::npos) << right.out;
    EXPECT_NE(right.err.find("interrupted; "), std::string::npos) << right.err;
    // What differs does so whatever would have come.
    std::string three = two, file = of_fma + "\n";
    three.replace(three.rfind("40000000"), 8, "40400000");
    for (int i = 0; i < 10'000; ++i) file += two + "\n";
    const Folder other;
    const Outcome wrong = interrupted(other, of_fma, three,
                                      "diff " + other.path("endless") + " " + other.file("finite", file) + " --show 1");
    EXPECT_EQ(wrong.status, 1) << wrong.out << wrong.err;
    EXPECT_NE(last_line(wrong.out).find("compared "), std::string::npos) << wrong.out;
    EXPECT_EQ(wrong.out.find("different 0"), std::string::npos) << wrong.out;
}

} // namespace
} // namespace discern::testing
