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

} // namespace
} // namespace discern::testing
