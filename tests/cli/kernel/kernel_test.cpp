// Kernels on the command line: the same in every command, found again behind a pipe, and refused in a sentence.
#include "cli/program.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace discern::testing {
namespace {

using nlohmann::json;
using namespace std::string_literals;

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

TEST(KernelCommands, EqualOnesOfAnyLengthAreTheSameByStructure) {
    const std::string ampere = "ampere/mma.m16n8k16.f32.f16.f16.f32", short_one = "ampere/mma.m16n8k8.f32.f16.f16.f32";
    struct Case {
        std::string first, second, K;
    };
    for (const Case& c :
         {Case{ampere + "@[split=2 reduce=order:f32:rne]", ampere + "@[split=2 reduce=pairwise]", "1024"},
          Case{fma + "@[kc=384]", fma + "@[]", "256"}, Case{ampere + "@[]", short_one + "@[]", "4096"},
          Case{ampere + "@[split=1 reduce=order:f32:rne from=c]", ampere + "@[]", "4096"}}) {
        const Outcome r = discern({"same-bits", c.first, c.second, "--K", c.K, "--json"});
        EXPECT_EQ(r.status, 0) << r.err;
        const json said = json::parse(r.out);
        EXPECT_EQ(said["verdict"], "same");
        EXPECT_EQ(said["ground"], "structure");
        EXPECT_EQ(said["compared"], 0);
    }
}

TEST(KernelCommands, ABlockThatIsProvedCarriesAChain) {
    // A multiply-add of f16 in f64: the same, and not one computation.
    const std::string once = "f16*f16+f16->f16 K=1 : round[f16 rne](fuse[exact](p*, c))",
                      twice = "f16*f16+f16->f16 K=1 : round[f16 rne](round[f64 rne](fuse[exact](p*, c)))";
    const Outcome r = discern({"same-bits", once + "@[split=2]", twice + "@[split=2]", "--K", "4096", "--json"});
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    EXPECT_EQ(json::parse(r.out)["ground"], "solver");
    EXPECT_NE(json::parse(r.out)["by"].get<std::string>().find("each block"), std::string::npos) << r.out;
}

TEST(KernelCommands, LongAnswersPrintAPlaceAndTwoValues) {
    const Folder folder;
    for (const std::string& other :
         {fma + "@[split=4]", "f32*f32+f32->f32 K=1 : round[f32 rz](fuse[exact](p*, c))@[]"s}) {
        const std::string file = folder.path("v.jsonl");
        const Outcome r = discern({"same-bits", other, fma + "@[]", "--K", "512", "-n", "50", "-o", file});
        EXPECT_EQ(r.status, 1) << r.err;
        EXPECT_LT(r.out.size(), 1000u) << r.out;
        EXPECT_NE(r.out.find("\n  random product 1 of --seed 1: "), std::string::npos) << r.out;
        const Outcome one = discern({"eval", other, file, "--K", "512", "--json"}),
                      two = discern({"eval", fma + "@[]", file, "--K", "512", "--json"});
        EXPECT_EQ(one.status, 0) << one.err;
        EXPECT_NE(one.out, two.out);
    }
}

TEST(KernelCommands, LengthsAreFilledUpWithZeros) {
    const std::string ampere = "ampere/mma.m16n8k16.f32.f16.f16.f32@[",
                      short_one = "ampere/mma.m16n8k8.f32.f16.f16.f32@[";
    EXPECT_EQ(discern({"same-bits", ampere + "]", ampere + "kc=2048]", "--K", "100"}).status, 0);
    EXPECT_EQ(discern({"same-bits", ampere + "]", short_one + "]", "--K", "4092"}).status, 0); // 4096 of both
    EXPECT_EQ(discern({"same-bits", ampere + "]", short_one + "]", "--K", "4100", "-n", "50"}).status, 3); // 4112, 4104
    const Outcome r = discern({"same-bits", ampere + "split=2]", ampere + "]", "--K", "100", "-n", "50", "--json"});
    EXPECT_EQ(r.status, 2) << "112 products are seven instructions: " << r.out;
    const Outcome differ =
        discern({"same-bits", ampere + "lanes=2]", ampere + "]", "--K", "100", "-n", "50", "--json"});
    EXPECT_EQ(differ.status, 1) << differ.err;
    EXPECT_EQ(json::parse(differ.out)["vector"]["a"].size(), 100u);
}

TEST(KernelCommands, CheckTakesTheLengthOfBoth) {
    const Outcome r = discern({"check", "model:" + fma + "@[]", fma + "@[]", "--K", "64", "-n", "500"});
    EXPECT_EQ(r.status, 0) << r.err;
    const Outcome other = discern({"check", "model:" + fma + "@[]", fma + "@[split=2]", "--K", "64", "-n", "500"});
    EXPECT_EQ(other.status, 1) << other.err;
}

TEST(KernelCommands, IdentifiesALoop) {
    const Outcome r =
        discern({"identify", "model:" + fma + "@[lanes=4 reduce=halving:f32:rne]", "--K", "32", "--kernel", "--json",
                 "--validate", "5000", "--timeout", std::to_string(20 * tests::slowness)});
    ASSERT_TRUE(r.status == 0 || r.status == 3) << r.err;
    const json said = json::parse(r.out);
    EXPECT_EQ(said["schedule"], "lanes=4 reduce=halving:f32:rne") << r.out;
    EXPECT_GE(said["validated"], 5000);
    EXPECT_EQ(said["depends"], json::array());
    if (tests::slowness == 1) { // there are ten seconds for it
        EXPECT_GT(said["tried"]["K"][1], 32);
    }
}

TEST(KernelCommands, TargetsThatFailEndWithASentence) {
    const auto complaint = [](const std::string& script, std::vector<std::string> more = {}) {
        std::vector<std::string> arguments = {
            "identify", script, "--formats", "f32,f32,f32,f32", "--K", "8", "--kernel", "--answer-timeout", "0.5"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome r = discern(std::move(arguments));
        EXPECT_EQ(r.status, 2) << r.out;
        EXPECT_EQ(r.out, "");
        EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
        return r.err;
    };
    const auto expect = [](const std::string& text, const std::string& part) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    for (const std::string kind : {"exec:", "matrices:"}) {
        expect(complaint(kind + "read h; echo 'out of memory' >&2; exit 3"), "it said 'out of memory'");
        expect(complaint(kind + "read h; sleep 60"), "within 0.5 s (--answer-timeout)");
    }
    expect(complaint("matrices:read h; head -c 100 /dev/zero; sleep 0.2; dd if=/dev/zero bs=20000 count=1 2>/dev/null"),
           "16384 are right");
    expect(complaint("exec:read h; while read l; do echo '{\"d\":\"3f80\"}'; done"), "whose d ");
    expect(complaint("exec:true", {"--scale", "e8m0/8"}),
           "a kernel with one scale has no order that could be seen; --K of 16 or more");
    expect(complaint("exec:true", {"--space", "x86/fma.f32"}), "do not go with --kernel");
}

TEST(KernelCommands, SayWhatIsWrong) {
    const auto complaint = [](std::vector<std::string> arguments) {
        const Outcome r = discern(std::move(arguments));
        EXPECT_EQ(r.status, 2) << r.out;
        return r.err;
    };
    EXPECT_NE(complaint({"eval", fma + "@[split=3]", "--K", "8", "--a", "0"}).find("split=3 does not divide 8"),
              std::string::npos);
    EXPECT_NE(complaint({"prove", fma + "@[]", fma + "@[split=2]"}).find("the length is missing"), std::string::npos);
    // A chain, and as many partial sums one after the other: neither may be written out first.
    for (const char* schedule : {"@[K=4096 split=2]", "@[K=4096 split=4096]"})
        EXPECT_NE(complaint({"prove", fma + "@[K=4096]", fma + schedule})
                      .find("cannot be written as one tree, which this question needs: it is deeper than 700 levels; "
                            "a smaller K is right"),
                  std::string::npos)
            << schedule;
    EXPECT_NE(complaint({"same-bits", "H100/e4m3", "H100/e5m2"}).find("differ in formats: a is e4m3"),
              std::string::npos);
}

} // namespace
} // namespace discern::testing
