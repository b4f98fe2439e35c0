// Exported HIP programs: the GPU's side through clang, and the whole program on the fake GPU, whose observations are
// read back.
#include "hwrunner/export/export.hpp"

#include "folder.hpp"
#include "hwrunner/amd/amd_code.hpp"
#include "hwrunner/amd/mfma_instructions.hpp"
#include "hwrunner/process/run_process.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/families.hpp"

#include <gtest/gtest.h>

namespace discern::testing::export_hip_test {
namespace {

ProcessResult shell(const std::string& command) {
    return run_process(command, "", [] { return false; });
}

/// Random vectors of a unit.
Exported vectors_of(const std::string& unit, std::size_t count) {
    Exported what{.shape = shape_of(resolve_unit(unit)),
                  .unit = unit,
                  .nan_any = true,
                  .name = "vectors",
                  .origin = "discern export --as hip",
                  .vectors = {}};
    InputGenerator generator(resolve_unit(unit), Family::normal, 4);
    InputBuffer buffer;
    for (std::size_t i = 0; i < count; ++i) {
        generator.next(buffer);
        Vector& vector = what.vectors.emplace_back();
        vector.a = buffer.a;
        vector.b = buffer.b;
        vector.c = buffer.c;
    }
    return what;
}

std::string program_of(const std::string& unit, std::size_t count) {
    std::ostringstream text;
    export_hip(text, vectors_of(unit, count));
    return text.str();
}

struct ProgramCase {
    const char *unit, *gfx, *builtin;
};

class ExportHip : public ::testing::TestWithParam<ProgramCase> {};

TEST_P(ExportHip, TheProgramsObservationsAreReadBack) {
    if (!is_program("c++")) GTEST_SKIP() << "no C++ compiler (c++) to be found";
    const Folder folder;
    const std::string source = folder.file("program.cpp", program_of(GetParam().unit, 50));
    const std::string program = folder.path("program"), observed = folder.path("observed.jsonl");
    const ProcessResult compiled =
        shell(std::string("c++ -std=c++14 -w -I" DISCERN_FAKE_HIP_INCLUDE " -DFAKE_BUILTIN='\"") + GetParam().builtin +
              "\"' -Wl,-rpath," DISCERN_FAKE_HIP_FOLDER " -L" DISCERN_FAKE_HIP_FOLDER " " + source +
              " -l:libamdhip64.so.6 -o " + program);
    ASSERT_EQ(compiled.ended, "exit status 0") << compiled.errors;
    const std::string environment = std::string("DISCERN_FAKE_HIP_PROGRAM=" DISCERN_PROGRAM " DISCERN_FAKE_HIP_GFX=");
    const ProcessResult ran = shell(environment + GetParam().gfx + ":xnack- " + program + " > " + observed);
    ASSERT_EQ(ran.ended, "exit status 0") << ran.errors;
    const ProcessResult checked =
        shell(std::string(DISCERN_PROGRAM " eval ") + GetParam().unit + " " + observed + " --check");
    EXPECT_EQ(checked.output, "checked 50, mismatches 0\n") << checked.errors;
    const std::string first = read_file(observed).substr(0, read_file(observed).find('\n'));
    EXPECT_NE(first.find(R"("model":"a fake GPU")"), std::string::npos) << first;
    // On another GPU it says so.
    const ProcessResult elsewhere = shell(environment + "gfx1100 " + program);
    EXPECT_EQ(elsewhere.ended, "exit status 2");
    EXPECT_NE(elsewhere.errors.find("this GPU is gfx1100"), std::string::npos) << elsewhere.errors;
}

TEST_P(ExportHip, TheKernelIsTheInstruction) {
    if (!is_program("clang++-19")) GTEST_SKIP() << "no clang++-19 to be found (Debian: clang-19 and lld-19)";
    const Folder folder;
    const std::string source = folder.file("program.hip", program_of(GetParam().unit, 3));
    const std::string object = folder.path("program.o");
    const std::string command =
        std::string("clang++-19 -x hip -nogpuinc -nogpulib -O2 -Werror -I" DISCERN_FAKE_HIP_INCLUDE
                    " -DFAKE_BUILTIN='\"\"' --offload-arch=") +
        GetParam().gfx + " ";
    const ProcessResult host = shell(command + "--cuda-host-only -fsyntax-only " + source);
    EXPECT_EQ(host.ended, "exit status 0") << host.errors;
    const ProcessResult device =
        shell(command + "--cuda-device-only --no-gpu-bundle-output -c " + source + " -o " + object);
    ASSERT_EQ(device.ended, "exit status 0") << device.errors;
    std::vector<std::uint8_t> expected;
    for (const MfmaInstruction& instruction : mfma_instructions())
        if (instruction.builtin == GetParam().builtin)
            expected.push_back(instruction.opcode(cdna_from_gfx(GetParam().gfx).value()));
    EXPECT_EQ(matrix_opcodes(read_file(object)), expected);
}

INSTANTIATE_TEST_SUITE_P(Units, ExportHip,
                         ::testing::Values(ProgramCase{"cdna3/v_mfma_f32_16x16x16_f16", "gfx942", "f32_16x16x16f16"},
                                           ProgramCase{"cdna2/v_mfma_f64_4x4x4f64", "gfx90a", "f64_4x4x4f64"}),
                         [](const auto& parameter) { return std::string(parameter.param.builtin); });

TEST(ExportHipErrors, OnlyInstructionsOfCdnaAreExported) {
    std::ostringstream text;
    for (const std::string unit : {"volta/mma.m8n8k4.f32.f16.f16.f32", "cdna2/v_mfma_f32_16x16x16f16{ftz=none}"})
        EXPECT_THROW(export_hip(text, vectors_of(unit, 1)), Error);
}

} // namespace
} // namespace discern::testing::export_hip_test
