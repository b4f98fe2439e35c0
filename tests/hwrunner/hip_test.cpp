// AMD GPUs through fake libraries: everything that can go wrong before a result is believed, and a whole check.
#include "hwrunner/amd/hip_device.hpp"
#include "hwrunner/amd/mfma_instructions.hpp"
#include "hwrunner/validate.hpp"

#include "folder.hpp"
#include "hwrunner/process/run_process.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace discern::testing {
namespace {

constexpr const char* instruction = "v_mfma_f32_16x16x16f16";

HipFiles fakes(const std::string& folder = DISCERN_FAKE_HIP_FOLDER) {
    return {.runtime = {folder + "/libamdhip64.so.6"}, .compiler = {DISCERN_FAKE_HIP_FOLDER "/libhiprtc.so.6"}};
}

/// The fake libraries' environment, as long as the object lasts.
class Scenario {
  public:
    explicit Scenario(const std::string& name, const std::string& gfx = "gfx90a:sramecc+:xnack-") {
        set("DISCERN_FAKE_HIP", name);
        set("DISCERN_FAKE_HIP_GFX", gfx);
        set("DISCERN_FAKE_HIP_PROGRAM", DISCERN_PROGRAM);
        set("DISCERN_FAKE_HIP_STATE", folder_.path("state"));
    }
    ~Scenario() {
        for (const char* name : {"", "_GFX", "_PROGRAM", "_STATE", "_UNIT"})
            ::unsetenv((std::string("DISCERN_FAKE_HIP") + name).c_str());
    }
    Scenario(const Scenario&) = delete;
    Scenario& operator=(const Scenario&) = delete;
    static void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

  private:
    Folder folder_;
};

std::unique_ptr<Target> make(const std::string& name, double timeout = 300) {
    return make_matrix_target(
        "hip:0/" + name, [name] { return open_hip_device(0, name, fakes()); }, timeout);
}

/// A check of so many vectors, and the error that ended it.
struct Checked {
    Validation counts;
    std::string error;
};
Checked check(const std::string& name, const std::string& unit, std::uint64_t vectors, double timeout = 300) {
    Checked result;
    try {
        const auto target = make(name, timeout);
        validate_target(
            *target, resolve_unit(unit), {.vectors = vectors, .seed = 1}, [](const Mismatch&) {}, result.counts);
    } catch (const Error& error) {
        result.error = error.what();
    }
    return result;
}

void expect_in(const std::string& part, const std::string& text) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

/// What was wrong when the GPUs were to be listed.
std::string why_not(const HipFiles& files) {
    try {
        return "listed: " + list_hip_devices(files);
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(Hip, AMissingLibraryIsSaid) {
    const std::string reason = why_not({.runtime = {"/nonexistent/libamdhip64.so"}, .compiler = {}});
    expect_in("HIP runtime", reason);
    expect_in("/nonexistent/libamdhip64.so", reason);
}

TEST(Hip, AMissingFunctionIsSaid) { expect_in("hipMalloc", why_not(fakes(DISCERN_INCOMPLETE_HIP_FOLDER))); }

TEST(Hip, AMissingCompilerIsSaid) {
    const Scenario scenario("");
    HipFiles files = fakes();
    files.compiler = {"/nonexistent/libhiprtc.so"};
    const auto open = [files] { return open_hip_device(0, instruction, files); };
    try {
        make_matrix_target("hip:0/x", open, 10);
        ADD_FAILURE() << "it was opened";
    } catch (const Error& error) {
        expect_in("hiprtc", error.what());
    }
}

TEST(Hip, NoDeviceIsSaid) {
    const Scenario scenario("no-device");
    EXPECT_EQ(why_not(fakes()), "hipGetDeviceCount: no ROCm-capable device is detected");
    expect_in("no ROCm-capable device", check(instruction, "cdna2/v_mfma_f32_16x16x16f16", 1).error);
}

TEST(Hip, ADeviceThatIsThereIsListed) {
    const Scenario scenario("");
    EXPECT_EQ(list_hip_devices(fakes()), "gfx90a:sramecc+:xnack- a fake GPU\n");
}

TEST(Hip, WhatTheCompilerSaysIsQuoted) {
    const Scenario scenario("compile-failure");
    expect_in("the fake compiler was told to fail", check(instruction, "cdna2/v_mfma_f32_16x16x16f16", 1).error);
}

TEST(Hip, CodeWithoutTheInstructionIsCalledEmulated) {
    for (const char* what : {"emulated", "other-instruction"}) {
        const Scenario scenario(what);
        expect_in("emulated: ", check(instruction, "cdna2/v_mfma_f32_16x16x16f16", 1).error);
    }
}

TEST(Hip, AnotherArchitectureDoesNotHaveTheInstruction) {
    const Scenario scenario("", "gfx942");
    const std::string error = check(instruction, "cdna2/v_mfma_f32_16x16x16f16", 1).error;
    expect_in("gfx942, has no instruction", error);
    expect_in("v_mfma_f32_16x16x16_f16", error);
    Scenario::set("DISCERN_FAKE_HIP_GFX", "gfx1100");
    expect_in("the GPU is 'gfx1100'", check(instruction, "cdna2/v_mfma_f32_16x16x16f16", 1).error);
}

TEST(Hip, AnotherGpuIsNotThere) {
    const Scenario scenario("");
    EXPECT_THROW(open_hip_device(1, instruction, fakes()), Error);
}

TEST(Hip, ALaunchThatFailsIsTriedOnceMore) {
    const Scenario scenario("launch-failure");
    const std::string error = check(instruction, "cdna2/v_mfma_f32_16x16x16f16", 20).error;
    expect_in("unspecified launch failure; tried once more: ", error);
}

// 16 vectors are tried at every place, a launch each; the 18th launch fails.
TEST(Hip, ADeviceLostForGoodKeepsWhatWasObserved) {
    const Scenario scenario("lost");
    const Checked result = check(instruction, "cdna2/v_mfma_f32_16x16x16f16", 8000);
    expect_in("the device was lost; tried once more: ", result.error);
    EXPECT_EQ(result.counts.checked, 4000u); // one batch
    EXPECT_EQ(result.counts.mismatches, 0u);
}

TEST(Hip, ADeviceLostOnceIsOpenedAgain) {
    const Scenario scenario("lost-once");
    const Checked result = check(instruction, "cdna2/v_mfma_f32_16x16x16f16", 5000);
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.counts.checked, 5000u);
    EXPECT_EQ(result.counts.mismatches, 0u);
}

TEST(Hip, AHangingDeviceIsKilled) {
    const Scenario scenario("hang");
    expect_in("gave no answer within 0.5 s", check(instruction, "cdna2/v_mfma_f32_16x16x16f16", 1, 0.5).error);
}

TEST(Hip, WrongResultsAreMismatches) {
    const Scenario scenario("wrong");
    const Checked result = check(instruction, "cdna2/v_mfma_f32_16x16x16f16", 100);
    EXPECT_EQ(result.error, "");
    EXPECT_GT(result.counts.mismatches, 90u);
}

TEST(Hip, ResultsThatDependOnThePlaceAreFound) {
    const Scenario scenario("place");
    expect_in("different places", check(instruction, "cdna2/v_mfma_f32_16x16x16f16", 100).error);
}

TEST(Hip, ResultsThatDependOnTheBlockAreFound) {
    const Scenario scenario("blocks");
    expect_in("blocks of one instruction", check("v_mfma_f32_16x16x4f16", "cdna2/v_mfma_f32_16x16x4f16", 100).error);
}

TEST(Hip, AnotherUnitIsFound) {
    const Scenario scenario("");
    Scenario::set("DISCERN_FAKE_HIP_UNIT", "cdna2/v_mfma_f32_16x16x16f16{ftz=none}");
    EXPECT_GT(check(instruction, "cdna2/v_mfma_f32_16x16x16f16", 500).counts.mismatches, 0u);
}

/// An instruction of each operand type and number of blocks, as the fake GPU of each architecture has it.
TEST(Hip, EveryKindOfInstructionIsItsUnit) {
    const std::pair<const char*, std::vector<const char*>> by_architecture[] = {
        {"gfx908", {"v_mfma_f32_32x32x1f32", "v_mfma_f32_4x4x2bf16"}},
        {"gfx90a", {"v_mfma_f64_4x4x4f64"}},
        {"gfx942", {"v_mfma_f32_16x16x8_xf32", "v_mfma_f32_16x16x32_fp8_bf8"}},
    };
    for (const auto& [gfx, names] : by_architecture)
        for (const char* name : names) {
            const Scenario scenario("", gfx);
            const std::string unit = std::string(catalogue_name(cdna_from_gfx(gfx).value())) + "/" + name;
            const Checked result = check(name, unit, 120);
            EXPECT_EQ(result.error, "") << unit;
            EXPECT_EQ(result.counts.checked, 120u) << unit;
            EXPECT_EQ(result.counts.mismatches, 0u) << unit;
        }
}

// ---- the program, which finds the libraries as it would find the real ones

ProcessResult program(const std::string& arguments) {
    return run_process("LD_LIBRARY_PATH=" DISCERN_FAKE_HIP_FOLDER " " DISCERN_PROGRAM " " + arguments, "",
                       [] { return false; });
}

TEST(HipProgram, ChecksAnInstruction) {
    const Scenario scenario("");
    const ProcessResult result = program("check hip:0/v_mfma_f32_16x16x16f16 cdna2/v_mfma_f32_16x16x16f16 -n 500");
    EXPECT_EQ(result.output, "checked 500, mismatches 0\n") << result.errors;
    EXPECT_EQ(result.ended, "exit status 0");
}

TEST(HipProgram, ObservationsNameTheGpu) {
    const Scenario scenario("", "gfx942:sramecc+:xnack-");
    const Folder folder;
    std::string vector = R"({"a":["3c00")", ones;
    for (int k = 1; k < 16; ++k) ones += R"(,"3c00")";
    const std::string file =
        folder.file("in.jsonl", R"({"discern":1,"unit":"cdna3/v_mfma_f32_16x16x16_f16"})"
                                "\n" +
                                    vector + ones + R"(],"b":["4000")" + ones + R"(],"c":"3f800000"})" + "\n");
    const ProcessResult result = program("run hip:0/v_mfma_f32_16x16x16_f16 " + file);
    EXPECT_EQ(result.ended, "exit status 0") << result.errors;
    for (const char* part :
         {R"("vendor":"AMD")", R"("model":"a fake GPU")", R"("architecture":"gfx942:sramecc+:xnack-")",
          R"("driver":"60032830")", R"("d":"41900000")"})
        expect_in(part, result.output);
}

TEST(HipProgram, TellAsksEveryInstructionAboutWhichSomethingIsOpen) {
    const Scenario scenario("", "gfx90a:sramecc+:xnack-");
    const Folder folder;
    const ProcessResult result = program("tell hip:0 --report " + folder.path("report.jsonl"));
    EXPECT_EQ(result.ended, "exit status 0") << result.errors;
    expect_in("flush-cdna2-f16: ", result.output);
    expect_in("  asked: hip:0/v_mfma_f32_4x4x4f16\n", result.output);
    expect_in(
        "  settled: sign of flushed inputs and c: flushed inputs and c become +0, and so does -0: simulator 2.1.1\n",
        result.output);
    EXPECT_EQ(result.output.find("cdna3"), std::string::npos);
    expect_in(R"("architecture":"gfx90a:sramecc+:xnack-")", read_file(folder.path("report.jsonl")));
}

TEST(HipProgram, SaysWhatIsUnavailable) {
    const Scenario scenario("no-device");
    const ProcessResult result = program("check hip:0/v_mfma_f32_16x16x16f16 cdna2/v_mfma_f32_16x16x16f16");
    EXPECT_EQ(result.ended, "exit status 2");
    EXPECT_EQ(result.errors, "discern: unavailable: hip:0/v_mfma_f32_16x16x16f16: hipGetDeviceCount: no ROCm-capable "
                             "device is detected\n");
}

TEST(HipProgram, ListsTheInstructionsOfTheGpu) {
    const Scenario scenario("", "gfx942");
    const std::string output = program("targets").output;
    expect_in("\nhip:0/v_mfma_f32_16x16x8_xf32  a fake GPU, gfx942\n", output);
    EXPECT_EQ(output.find("hip:0/v_mfma_f32_16x16x2bf16"), std::string::npos);
}

TEST(HipProgram, ANameThatIsNoInstructionIsSaid) {
    const Scenario scenario("");
    expect_in("the number of a GPU and an instruction are needed, as in hip:0/",
              program("run hip:v_mfma /dev/null").errors);
    const std::string errors = program("run hip:0/v_mfma_f32_16x16x16_f16 /dev/null").errors;
    expect_in("unavailable: hip:0/v_mfma_f32_16x16x16_f16: the GPU, gfx90a", errors);
    expect_in("v_mfma_f32_16x16x16f16", errors);
}

} // namespace
} // namespace discern::testing
