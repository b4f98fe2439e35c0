// Exported CUDA programs: compiled by nvcc where it is, and run from end to end over a runtime without a GPU.
#include "cli/program.hpp"
#include "hwrunner/fake_gpu.hpp"
#include "hwrunner/process/run_process.hpp"
#include "models/families.hpp"
#include "models/vectors.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace discern::testing {
namespace {

/// A file of random vectors of that unit.
std::string vectors_of(const Folder& folder, const std::string& name, int count) {
    const Unit unit = resolve_unit(name);
    InputGenerator generator(unit, Family::uniform_bits, 31);
    std::ostringstream text;
    Header header;
    header.unit = name;
    VectorWriter writer(text, shape_of(unit), header);
    for (int i = 0; i < count; ++i) {
        InputBuffer buffer;
        generator.next(buffer);
        writer.write(vector_of(shape_of(unit), buffer.inputs()));
    }
    return folder.file("vectors.jsonl", text.str());
}

std::string exported(const Folder& folder, const std::string& name, int count) {
    const std::string file = folder.path("program.cu");
    const Outcome outcome = discern({"export", "--as", "cuda", vectors_of(folder, name, count), "-o", file});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return file;
}

ProcessResult run_command(const std::string& command) {
    return run_process(command, "", [] { return false; });
}

class ExportCuda : public ::testing::TestWithParam<const char*> {};

TEST_P(ExportCuda, ItsObservationsAreReadBack) {
    if (!is_program("c++")) GTEST_SKIP() << "there is no c++ in PATH";
    const std::string name = GetParam();
    const Folder folder;
    const std::string program = folder.path("program");
    const std::string runtime = std::string(DISCERN_TEST_DATA) + "/../cli/fake_runtime";
    const ProcessResult built =
        run_command("c++ -x c++ -std=c++17 -I" + runtime + " " + exported(folder, name, 21) + " -o " + program);
    ASSERT_EQ(built.ended, "exit status 0") << built.errors;
    const int major = capabilities_of(find_entry(name)->architecture).front().major;
    const auto run = [&](int pretended) {
        return run_command("FAKE_GPU_MAJOR=" + std::to_string(pretended) + " FAKE_GPU_IN=" + folder.path("in") +
                           " FAKE_GPU_OUT=" + folder.path("out") + " " + program);
    };
    EXPECT_EQ(run(6).ended, "exit status 2");
    ASSERT_EQ(run(major).ended, "exit status 0");
    const std::string images = read_file(folder.path("in"));
    const std::vector<std::uint8_t> computed =
        results_of_images(name, {reinterpret_cast<const std::uint8_t*>(images.data()), images.size()});
    std::string results(computed.begin(), computed.end());
    folder.file("out", results);
    const ProcessResult observed = run(major);
    ASSERT_EQ(observed.ended, "exit status 0") << observed.errors;
    const std::string observations = folder.file("observed.jsonl", observed.output);
    const Outcome checked = discern({"eval", name, observations, "--check"});
    EXPECT_EQ(last_line(checked.out), "checked 21, mismatches 0") << checked.err;
    // The program's own test: a result that depends on its place.
    results[1] = static_cast<char>(results[1] ^ 1);
    folder.file("out", results);
    EXPECT_EQ(run(major).ended, "exit status 1");
}

INSTANTIATE_TEST_SUITE_P(Forms, ExportCuda,
                         ::testing::Values("volta/mma.m8n8k4.f32.f16.f16.f16", "hopper/wgmma.m64n8k16.f32.f16.f16",
                                           "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3"),
                         [](const auto& chosen) { return "Form" + std::to_string(chosen.index); });

/// nvcc of the PATH, CUDA_HOME or the usual folder; empty if there is none.
std::string nvcc() {
    const char* const home = std::getenv("CUDA_HOME");
    for (const std::string& candidate :
         {std::string("nvcc"), home == nullptr ? std::string() : std::string(home) + "/bin/nvcc",
          std::string("/usr/local/cuda/bin/nvcc")})
        if (!candidate.empty() && is_program(candidate)) return candidate;
    return "";
}

struct NvccCase {
    const char* unit;
    const char* machine;
    bool fast;
};

constexpr NvccCase nvcc_cases[] = {
    {"turing/mma.m16n8k8.f32.f16.f16.f32", "75", true},
    {"ampere/mma.m16n8k16.f32.bf16.bf16.f32", "80", false},
    {"ada/mma.m16n8k32.f32.e4m3.e5m2.f32", "89", false},
    {"hopper/wgmma.m64n8k16.f32.f16.f16", "90a", true},
    {"blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e2m1.ue8m0", "100a", false},
    {"blackwell/tcgen05.mma.m64n8k16.f16.f16.f16", "100a", false},
    {"rtxblackwell/mma.m16n8k32.block32.f32.e3m2.e2m1.f32.ue8m0", "120a", false},
    {"rtxblackwell/mma.m16n8k64.block16.f32.e2m1.e2m1.ue4m3", "120a", false},
};

/// Two in the fast tests; all with DISCERN_SWEEP.
TEST(ExportCudaPrograms, NvccCompiles) {
    const std::string compiler = nvcc();
    if (compiler.empty()) GTEST_SKIP() << "there is no nvcc";
    for (const NvccCase& nvcc_case : nvcc_cases) {
        if (!nvcc_case.fast && !tests::sweeping()) continue;
        const Folder folder;
        const std::string machine = nvcc_case.machine, file = exported(folder, nvcc_case.unit, 20);
        EXPECT_NE(read_file(file).find("-gencode arch=compute_" + machine + ",code=sm_" + machine), std::string::npos);
        const ProcessResult built = run_command(compiler + " -gencode arch=compute_" + machine + ",code=sm_" + machine +
                                                " " + file + " -o " + folder.path("program"));
        EXPECT_EQ(built.ended, "exit status 0") << nvcc_case.unit << '\n' << built.output << built.errors;
    }
}

TEST(ExportCudaPrograms, OnlyForInstructions) {
    const Folder folder;
    const std::string file = folder.file("v.jsonl", "{\"discern\":1,\"unit\":\"x86/fma.f32\"}\n"
                                                    "{\"a\":[\"3f800000\"],\"b\":[\"3f800000\"],\"c\":\"00000000\"}\n");
    const Outcome outcome = discern({"export", "--as", "cuda", file});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.err.find("'x86/fma.f32' is no instruction of NVIDIA GPUs"), std::string::npos) << outcome.err;
}

} // namespace
} // namespace discern::testing
