// Every kernel through clang for every architecture, where clang 19 is: the instruction comes out, with its opcode.
#include "hwrunner/amd/hip_kernels.hpp"

#include "folder.hpp"
#include "hwrunner/amd/amd_code.hpp"
#include "hwrunner/process/run_process.hpp"
#include "models/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace discern::testing {
namespace {

constexpr const char* compiler = "clang++-19";

class Kernels : public ::testing::TestWithParam<Cdna> {
  protected:
    void SetUp() override {
        if (!is_program(compiler)) GTEST_SKIP() << "no " << compiler << " to be found (Debian: clang-19 and lld-19)";
    }

    std::vector<const MfmaInstruction*> instructions() const {
        std::vector<const MfmaInstruction*> list;
        for (const MfmaInstruction& instruction : mfma_instructions())
            if (instruction.is_of(GetParam())) list.push_back(&instruction);
        return list;
    }

    /// All kernels of the architecture in one file, each in a namespace and with a name of its own.
    std::string source() const {
        std::string text;
        for (const MfmaInstruction* instruction : instructions()) {
            std::string kernel = hip_kernel(*instruction);
            const std::string name = hip_kernel_name;
            kernel.replace(kernel.find(name), name.size(), name + "_" + std::string(instruction->builtin));
            text += "namespace " + std::string(instruction->builtin) + " {\n" + kernel + "}\n";
        }
        return text;
    }

    void compile(const std::string& options) const {
        const ProcessResult result = run_process(
            std::string(compiler) + " -x hip --cuda-device-only --offload-arch=" + std::string(gfx_name(GetParam())) +
                " -nogpuinc -nogpulib -O2 " + options,
            "", [] { return false; });
        ASSERT_EQ(result.ended, "exit status 0") << result.errors;
    }
};

/// The names of instructions with this beginning, in order.
std::vector<std::string> mnemonics(const std::string& assembly, const std::string& beginning) {
    std::vector<std::string> names;
    for (std::size_t at = assembly.find("\t" + beginning); at != std::string::npos;
         at = assembly.find("\t" + beginning, at + 1))
        names.push_back(assembly.substr(at + 1, assembly.find_first_of(" \t", at + 1) - at - 1));
    return names;
}

TEST_P(Kernels, ContainTheirInstructionAndNoOther) {
    const Folder folder;
    const std::string file = folder.file("kernels.hip", source());
    compile("-S " + file + " -o " + folder.path("kernels.s"));
    compile("-c --no-gpu-bundle-output " + file + " -o " + folder.path("kernels.o"));
    std::vector<std::string> names;
    std::vector<std::uint8_t> opcodes;
    for (const MfmaInstruction* instruction : instructions()) {
        names.push_back(instruction->name(GetParam()));
        opcodes.push_back(instruction->opcode(GetParam()));
    }
    EXPECT_EQ(mnemonics(read_file(folder.path("kernels.s")), "v_mfma"), names);
    EXPECT_EQ(matrix_opcodes(read_file(folder.path("kernels.o"))), opcodes);
    RecordProperty("instructions", static_cast<int>(names.size()));
}

INSTANTIATE_TEST_SUITE_P(Architectures, Kernels, ::testing::ValuesIn(cdna_architectures),
                         [](const auto& parameter) { return std::string(gfx_name(parameter.param)); });

TEST(AmdCode, WhatIsNoCodeObjectIsSaid) {
    for (const std::string& wrong : {std::string(), std::string("no object"),
                                     std::string("\x7f"
                                                 "ELF"),
                                     std::string(200, '\x7f')})
        EXPECT_THROW(matrix_opcodes(wrong), Error);
    // A truncated ELF file for an AMD GPU has no instructions, and nothing is read beyond its end.
    std::string cut(24, '\0');
    cut.replace(0, 4,
                "\x7f"
                "ELF");
    cut[18] = static_cast<char>(224);
    EXPECT_TRUE(matrix_opcodes(cut).empty());
    cut.resize(64, '\xff');
    EXPECT_TRUE(matrix_opcodes(cut).empty());
}

} // namespace
} // namespace discern::testing
