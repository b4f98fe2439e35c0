// The commands on a GPU that the tests pretend to have.
#include "hwrunner/fake_gpu.hpp"
#include "program.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <set>

#include <dlfcn.h>

namespace discern::testing::cuda_test {
namespace {

using nlohmann::json;

const std::string target = "cuda:0/mma.m16n8k32.f32.e4m3.e5m2.f32", unit = "hopper/mma.m16n8k32.f32.e4m3.e5m2.f32";

class CudaCommands : public ::testing::Test {
  protected:
    void SetUp() override {
        setenv("DISCERN_CUDA_LIBRARY", DISCERN_FAKE_CUDA, 1);
        void* const library = dlopen(DISCERN_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library, nullptr) << dlerror();
        fake_ = reinterpret_cast<FakeCudaState*>(dlsym(library, "fake_cuda_state"))();
        *fake_ = FakeCuda{};
        fake_->launch = launch_of_the_unit;
        fake_->opcodes = 2;
    }
    void TearDown() override { unsetenv("DISCERN_CUDA_LIBRARY"); }

    FakeCuda* fake_ = nullptr;
};

TEST_F(CudaCommands, CheckFindsTheRightUnitAndNoOther) {
    fake_->launch = nullptr; // the device runs the kernel
    const Outcome right = discern({"check", target, unit, "-n", "500"});
    EXPECT_EQ(right.status, 0) << right.out << right.err;
    EXPECT_EQ(last_line(right.out), "checked 500, mismatches 0");
    const Outcome wrong = discern({"check", target, "hopper/wgmma.m64n8k32.f32.e4m3.e5m2", "-n", "500"});
    EXPECT_EQ(wrong.status, 1) << wrong.err;
}

TEST_F(CudaCommands, ObservationsSayWhatRan) {
    const Folder folder;
    std::string vectors = R"({"discern":1,"unit":")" + unit + "\"}\n";
    for (int i = 0; i < 20; ++i) {
        const json row(std::vector<std::string>(32, "3" + std::to_string(i % 8)));
        vectors += json{{"a", row}, {"b", row}, {"c", "0000000" + std::to_string(i % 10)}}.dump() + "\n";
    }
    const std::string observed = folder.path("observed.jsonl");
    const Outcome run = discern({"run", target, folder.file("vectors.jsonl", vectors), "-o", observed});
    ASSERT_EQ(run.status, 0) << run.err;
    const json header = json::parse(lines(read_file(observed)).at(0));
    EXPECT_EQ(header["target"], target);
    EXPECT_EQ(header["vendor"], "NVIDIA");
    EXPECT_EQ(header["model"], "Fake GPU");
    EXPECT_EQ(header["instruction"], unit);
    EXPECT_EQ(header["code"], "emulated: 2 HMMA instead of 1 QMMA");
    EXPECT_TRUE(header.contains("date") && header.contains("driver"));
    const Outcome checked = discern({"eval", unit, observed, "--check"});
    EXPECT_EQ(last_line(checked.out), "checked 20, mismatches 0") << checked.err;
}

TEST_F(CudaCommands, TargetsListsInstructions) {
    const Outcome text = discern({"targets"});
    EXPECT_NE(text.out.find("\n" + target + "  Fake GPU, compute capability 9.0, hopper; emulated: "),
              std::string::npos)
        << text.out;
    const json list = json::parse(discern({"targets", "--json"}).out);
    const auto ours = std::find_if(list.begin(), list.end(), [](const json& one) { return one["target"] == target; });
    ASSERT_NE(ours, list.end());
    EXPECT_EQ((*ours)["available"], true);
}

TEST_F(CudaCommands, TellAsksAllInstructionsOfADevice) {
    const Folder folder;
    const std::string report = folder.path("report.jsonl");
    fake_->opcodes = 1;
    const Outcome outcome = discern({"tell", "cuda:0", "--report", report, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const json answer = json::parse(outcome.out);
    std::set<std::string> units, targets;
    for (const json& question : answer["questions"]) {
        units.insert(question["unit"]);
        EXPECT_TRUE(question["state"] == "settled" || question["state"] == "no vector") << question["name"];
        if (question["state"] == "no vector") continue;
        targets.insert(question["header"]["target"]);
        EXPECT_EQ(question["header"]["model"], "Fake GPU");
        EXPECT_TRUE(question["header"].contains("driver") && question["header"].contains("date"));
        EXPECT_EQ(question["fits"][0], 1) << question["name"]; // the catalogue's own reading is the first one
    }
    EXPECT_TRUE(units.contains("hopper/wgmma.m64n8k16.f32.bf16.bf16")) << outcome.out;
    EXPECT_FALSE(units.contains("volta/mma.m8n8k4.f32.f16.f16.f32"));
    EXPECT_TRUE(targets.contains("cuda:0/wgmma.m64n8k16.f32.bf16.bf16"));
    EXPECT_TRUE(targets.contains("cuda:0/mma.m16n8k16.f32.bf16.bf16.f32")); // the same arithmetic
    EXPECT_EQ(answer["controls"].size(), targets.size());
    for (const json& control : answer["controls"]) EXPECT_EQ(control["mismatches"], 0) << control;
    EXPECT_EQ(lines(read_file(report)).size(), 1 + answer["questions"].size() + answer["controls"].size());
    EXPECT_EQ(discern({"tell", "cuda:1"}).err,
              "discern: there is no device cuda:1; 'discern targets' lists what there is\n");
}

TEST_F(CudaCommands, UnavailableIsStatusTwo) {
    fake_->init = cuda::no_device;
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"check", target, unit}, {"run", target, "/dev/null"}}) {
        const Outcome outcome = discern(command);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(outcome.err, "discern: unavailable: " + target + ": there is no NVIDIA GPU\n");
    }
}

TEST_F(CudaCommands, TheNameOfTheCatalogueIsTakenToo) {
    const Outcome outcome = discern({"check", "cuda:0/" + unit, unit, "-n", "50"});
    EXPECT_EQ(last_line(outcome.out), "checked 50, mismatches 0") << outcome.err;
    const Outcome other = discern({"check", "cuda:0/ampere/mma.m16n8k16.f32.f16.f16.f32", unit, "-n", "50"});
    EXPECT_EQ(other.status, 2);
    EXPECT_NE(other.err.find("has no instruction 'ampere/"), std::string::npos) << other.err;
}

TEST_F(CudaCommands, EqualDevicesAreOneGroup) {
    const Folder folder;
    const std::size_t one = lines(discern({"targets"}).out).size();
    fake_->devices = 8;
    const Outcome targets = discern({"targets"});
    EXPECT_EQ(lines(targets.out).size(), one + 1) << targets.out;
    EXPECT_NE(targets.out.find("cuda:1 … cuda:7"), std::string::npos) << targets.out;
    EXPECT_NE(targets.out.find("the same as cuda:0\n"), std::string::npos) << targets.out;
    const auto json_list = json::parse(discern({"targets", "--json"}).out);
    EXPECT_GT(json_list.size(), 8 * 20u) << "programs get them all";
    fake_->opcodes = 1;
    const Outcome all = discern({"tell", "cuda:all", "--report", folder.path("all.jsonl"), "--json"});
    EXPECT_EQ(all.status, 0) << all.err;
    EXPECT_NE(all.err.find("cuda:0 is asked; cuda:1 … cuda:7 are the same"), std::string::npos) << all.err;
    const Outcome first = discern({"tell", "cuda:0", "--report", folder.path("first.jsonl"), "--json"});
    EXPECT_EQ(json::parse(all.out)["questions"].size(), json::parse(first.out)["questions"].size());
}

TEST_F(CudaCommands, AnOldDriverIsOneSentence) {
    fake_->version = 11040;
    const Folder folder;
    const Outcome check = discern({"check", target, unit, "-n", "10"});
    EXPECT_EQ(check.status, 2);
    EXPECT_NE(check.err.find("is too old for PTX 8.4, which has the instruction; driver 550 (CUDA 12.4) or a newer one "
                             "is right"),
              std::string::npos)
        << check.err;
    const Outcome tell = discern({"tell", "cuda:0", "--report", folder.path("report.jsonl")});
    EXPECT_EQ(tell.status, 2);
    std::size_t said = 0;
    for (std::size_t at = 0; (at = tell.out.find("is too old for PTX", at)) != std::string::npos; ++at) ++said;
    EXPECT_LE(said, 6u) << tell.out; // once or twice for each version that is needed
    EXPECT_NE(tell.out.find(" more not answered: the driver, "), std::string::npos) << tell.out;
    fake_->version = 12040;
    EXPECT_EQ(discern({"check", target, unit, "-n", "10"}).status, 0);
}

TEST_F(CudaCommands, ANewerGpuIsAskedAsItsPredecessor) {
    fake_->major = 13;
    fake_->minor = 0;
    const Outcome targets = discern({"targets"});
    EXPECT_NE(targets.out.find("compute capability 13.0: not in the catalogue; asked what the instructions of "
                               "rtxblackwell are"),
              std::string::npos)
        << targets.out;
    EXPECT_EQ(targets.out.find("cuda:0/wgmma"), std::string::npos);
    EXPECT_EQ(targets.out.find("cuda:0/tcgen05"), std::string::npos);
    const std::string same = "rtxblackwell/mma.m16n8k16.f32.f16.f16.f32";
    const Outcome check = discern({"check", "cuda:0/mma.m16n8k16.f32.f16.f16.f32", same, "-n", "50"});
    EXPECT_EQ(last_line(check.out), "checked 50, mismatches 0") << check.err;
    fake_->major = 6;
    const Outcome old = discern({"check", "cuda:0/mma.m16n8k16.f32.f16.f16.f32", same, "-n", "50"});
    EXPECT_EQ(old.status, 2) << "no known machine is older";
}

} // namespace
} // namespace discern::testing::cuda_test
