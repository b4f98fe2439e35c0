// Kernels on the command line: the same in every command, found again behind a pipe, and refused in a sentence.
#include "cli/program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace discern::testing {
namespace {

using nlohmann::json;

const std::string fma = "x86/fma.f32";
const std::string hopper = "hopper/wgmma.m64n8k16.f32.f16.f16";

TEST(KernelCommands, GenerateIsWhatEvalChecks) {
    const std::string kernel = hopper + "@[split=2 reduce=pairwise:f32:rne]";
    const Outcome vectors = discern({"generate", kernel, "--K", "64", "-n", "50", "--results"});
    ASSERT_EQ(vectors.status, 0) << vectors.err;
    const Folder folder;
    const std::string file = folder.file("v", vectors.out);
    const Outcome same = discern({"eval", kernel, file, "--K", "64", "--check", "--json"});
    EXPECT_EQ(json::parse(same.out)["mismatches"], 0) << same.out;
    const Outcome plain = discern({"eval", hopper + "@[]", file, "--K", "64", "--check", "--json"});
    EXPECT_GT(json::parse(plain.out)["mismatches"], 0);
}

TEST(KernelCommands, ShortOnesAreProved) {
    EXPECT_EQ(discern({"prove", fma + "@[split=2]", fma + "@[split=2 reduce=pairwise]", "--K", "4"}).status, 0);
    EXPECT_EQ(discern({"prove", hopper + "@[K=32]", hopper + "{K=32}"}).status, 0);
    const Outcome other = discern({"synth", fma + "@[split=2]", fma + "@[]", "--K", "4"});
    EXPECT_EQ(other.status, 1) << other.err;
    const Outcome lanes = discern({"same-bits", fma + "@[lanes=2]", fma + "@[slice=2]", "--K", "4", "--json"});
    EXPECT_EQ(lanes.status, 0) << lanes.err;
    EXPECT_EQ(json::parse(lanes.out)["verdict"], "same");
}

TEST(KernelCommands, LongOnesAreMeasured) {
    const Outcome r = discern({"same-bits", fma + "@[split=4]", fma + "@[]", "--K", "512", "-n", "200", "--json"});
    EXPECT_EQ(r.status, 1) << r.err;
    const json said = json::parse(r.out);
    EXPECT_EQ(said["verdict"], "different");
    EXPECT_EQ(said["compared"], 200);
    EXPECT_GT(said["different"], 20);
}

TEST(KernelCommands, IdentifiesALoop) {
    const Outcome r = discern({"identify", "model:" + fma + "@[lanes=4 reduce=halving:f32:rne]", "--K", "32",
                               "--kernel", "--json", "--validate", "5000", "--timeout", "20"});
    ASSERT_TRUE(r.status == 0 || r.status == 3) << r.err;
    const json said = json::parse(r.out);
    EXPECT_EQ(said["schedule"], "lanes=4 reduce=halving:f32:rne") << r.out;
    EXPECT_GE(said["validated"], 5000);
}

TEST(KernelCommands, SayWhatIsWrong) {
    const auto complaint = [](std::vector<std::string> arguments) {
        const Outcome r = discern(std::move(arguments));
        EXPECT_EQ(r.status, 2) << r.out;
        return r.err;
    };
    EXPECT_NE(complaint({"eval", fma + "@[split=3]", "--K", "8", "--a", "0"}).find("split=3 does not cut 8"),
              std::string::npos);
    EXPECT_NE(complaint({"prove", fma + "@[]", fma + "@[split=2]"}).find("the length is missing"), std::string::npos);
    EXPECT_NE(complaint({"prove", fma + "@[K=4096]", fma + "@[K=4096 split=2]"}).find("written as one tree"),
              std::string::npos);
    EXPECT_NE(complaint({"same-bits", fma, hopper}).find("differ in formats and K"), std::string::npos);
}

} // namespace
} // namespace discern::testing
