// Every kernel through ptxas, where there is one, for every machine of its architecture; and what it becomes.
#include "hwrunner/nvidia/cubin.hpp"
#include "hwrunner/nvidia/ptx.hpp"
#include "models/error.hpp"
#include "ptxas.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace discern::testing {
namespace {

class Assembled {
  public:
    explicit Assembled(const CudaInstruction& instruction) : Assembled(ptx_module(instruction), instruction) {}
    Assembled(const std::string& text, const CudaInstruction& instruction) {
        // ptxas no longer makes code for Volta, but takes its text for the next machine.
        const PtxasResult made =
            run_ptxas(text, instruction.machine < Capability{7, 5} ? "sm_75" : instruction.target());
        errors = made.errors;
        if (!errors.empty()) return;
        const std::string& bytes = made.cubin;
        const std::vector<std::uint8_t> file(bytes.begin(), bytes.end());
        code = count_matrix_code(kernel_code(file, kernel_name));
    }

    std::string errors;
    std::vector<MachineCode> code;
};

/// Whether this ptxas is older than the PTX ISA of the text, which it says in its first complaint.
bool is_too_new(const Assembled& assembled) {
    return assembled.errors.find("nsupported .version") != std::string::npos;
}

/// fp8 in registers on the machines that have it only in wgmma or tcgen05: two chained f16 instructions.
bool is_expanded(const CudaInstruction& instruction) {
    return find_entry(instruction.unit)->remark.starts_with("emulated");
}

/// @param step  takes every step-th instruction of a machine
void assemble(const std::string& architecture, Capability machine, std::size_t step,
              std::map<std::string, int>& counts) {
    const std::vector<std::string> names = cuda_instructions(architecture);
    for (std::size_t i = 0; i < names.size(); i += step) {
        const CudaInstruction instruction = cuda_instruction(names[i], machine);
        const Assembled assembled(instruction);
        if (is_too_new(assembled)) continue;
        ASSERT_EQ(assembled.errors, "") << names[i] << " for " << instruction.target();
        const std::vector<MachineCode> expected = {is_expanded(instruction) ? MachineCode{0x23c, 2}
                                                                            : native_code(instruction)};
        EXPECT_EQ(assembled.code, expected)
            << names[i] << " for " << instruction.target() << " became " << describe_code(instruction, assembled.code);
        EXPECT_EQ(is_emulated(instruction, assembled.code), is_expanded(instruction)) << names[i];
        ++counts[instruction.target()];
    }
}

class Assemble : public ::testing::Test {
  protected:
    void SetUp() override {
        if (ptxas().empty()) GTEST_SKIP() << "there is no ptxas in PATH, CUDA_HOME or /usr/local/cuda";
    }
};

/// Some of each architecture; with DISCERN_SWEEP all instructions for all machines.
TEST_F(Assemble, EveryKernelBecomesItsInstruction) {
    const bool all = tests::sweeping();
    std::map<std::string, int> counts;
    for (const char* architecture : {"volta", "turing", "ampere", "ada", "hopper", "blackwell", "rtxblackwell"}) {
        const std::vector<Capability> machines = capabilities_of(architecture);
        for (const Capability machine : all ? machines : std::vector<Capability>{machines.front()}) {
            // Of two machines, ptxas 13.0 knows nothing yet or any more.
            if (machine == Capability{11, 0} &&
                !Assembled(cuda_instruction("blackwell/mma.m16n8k8.f16.f16.f16.f16", machine)).errors.empty())
                continue;
            assemble(architecture, machine, all ? 1 : 7, counts);
        }
    }
    int total = 0;
    for (const auto& [target, count] : counts) {
        RecordProperty(target, count);
        std::printf("%s: %d\n", target.c_str(), count);
        total += count;
    }
    std::printf("all: %d\n", total);
    EXPECT_GT(total, all ? 600 : 40);
}

/// Four scales of ue8m0 came with PTX ISA 9.1: an older assembler refuses the version, and says so.
TEST_F(Assemble, FourScalesOfUe8m0NeedANewIsa) {
    const CudaInstruction instruction =
        cuda_instruction("rtxblackwell/mma.m16n8k64.block16.f32.e2m1.e2m1.ue8m0", {12, 0});
    EXPECT_EQ(instruction.isa_major, 9);
    EXPECT_EQ(instruction.isa_minor, 1);
    const Assembled assembled(instruction);
    if (is_too_new(assembled)) GTEST_SKIP() << "this ptxas is older than PTX ISA 9.1";
    EXPECT_EQ(assembled.errors, "");
    EXPECT_EQ(assembled.code, std::vector<MachineCode>{native_code(instruction)});
}

/// The first tensor cores' instruction is no tensor core's on later machines.
TEST_F(Assemble, M8n8k4IsNoMatrixInstructionOnAmpere) {
    CudaInstruction instruction = cuda_instruction("volta/mma.m8n8k4.f32.f16.f16.f32", {7, 0});
    instruction.machine = {8, 0};
    instruction.isa_major = 7;
    instruction.isa_minor = 0;
    const Assembled assembled(instruction);
    EXPECT_EQ(assembled.errors, "");
    EXPECT_TRUE(assembled.code.empty());
    EXPECT_EQ(describe_code(instruction, assembled.code), "emulated: no matrix instruction instead of 4 HMMA.884");
}

} // namespace
} // namespace discern::testing
