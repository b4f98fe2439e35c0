// Every mfma of the catalogue, and discern's own kernels of them through clang, where it is: each gives unit(row of a,
// row of b, c) for every element. Their layouts are hwrunner's, and those of this machine were written a second time,
// so each tests the other.
#include "amd_files.hpp"

#include "hwrunner/amd/hip_kernels.hpp"
#include "hwrunner/amd/mfma_layout.hpp"
#include "hwrunner/process/run_process.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

using namespace discern;
using namespace discern::programs;

namespace {

std::string type_of(const MfmaOperand& operand) {
    const std::string element = operand.element == "float"      ? "float"
                                : operand.element == "_Float16" ? "half"
                                : operand.element == "short"    ? "i16"
                                : operand.element == "double"   ? "double"
                                                                : "i64";
    return operand.vector == 1 ? element : "<" + std::to_string(operand.vector) + " x " + element + ">";
}

std::string text_of(const MfmaInstruction& instruction) {
    const std::string operand = type_of(*instruction.operand), element = instruction.is_f64() ? "double" : "float";
    const int items = instruction.result_items();
    const std::string result = items == 1 ? element : "<" + std::to_string(items) + " x " + element + ">";
    std::string name(instruction.builtin);
    std::replace(name.begin(), name.end(), '_', '.');
    std::string text =
        "define amdgpu_kernel void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, ptr "
        "addrspace(1) %d) {\n  %l = call i32 @llvm.amdgcn.workitem.id.x()\n";
    for (const char* which : {"a", "b", "c"})
        text += std::string("  %p") + which + " = getelementptr " + (*which == 'c' ? result : operand) +
                ", ptr addrspace(1) %" + which + ", i32 %l\n  %v" + which + " = load " +
                (*which == 'c' ? result : operand) + ", ptr addrspace(1) %p" + which + "\n";
    return text + "  %r = call " + result + " @llvm.amdgcn.mfma." + name + "(" + operand + " %va, " + operand +
           " %vb, " + result + " %vc, i32 0, i32 0, i32 0)\n  %pd = getelementptr " + result +
           ", ptr addrspace(1) %d, i32 %l\n  store " + result + " %r, ptr addrspace(1) %pd\n  ret void\n}\n";
}

/// Arrays of bytes, which are registers of a wave as hwrunner keeps them.
Launch launch_of(const MfmaInstruction& instruction, Cdna architecture, const std::string& entry) {
    Launch launch;
    launch.entry = entry;
    launch.block = {64};
    launch.target = gfx_name(architecture);
    for (const auto& [name, bytes] : {std::pair("a", operand_bytes(instruction)),
                                      {"b", operand_bytes(instruction)},
                                      {"c", result_bytes(instruction)},
                                      {"d", result_bytes(instruction)}}) {
        ArraySpec made{.name = name,
                       .format = "u8",
                       .element = 1,
                       .shape = {static_cast<std::uint32_t>(bytes)},
                       .axes = "i",
                       .strides = {1},
                       .initial = {}};
        made.is_result = made.name == "d";
        launch.arrays.push_back(made);
        launch.arguments.push_back({.kind = ArgumentSpec::Kind::array, .array = launch.arrays.size() - 1});
    }
    return launch;
}

/// Whether a node is the bytes of an array from one on.
bool is_at(const Graph& graph, NodeId node, std::uint32_t array, std::size_t byte) {
    std::vector<Code> codes(graph[node].size);
    graph.to_codes(node, codes);
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (is_known(codes[i]) || codes[i] == unwritten_byte || graph.kind(node_of(codes[i])) != Kind::leaf)
            return false;
        const auto place = graph.arguments(node_of(codes[i]));
        if (place[0] != array || place[1] != byte + i) return false;
    }
    return !codes.empty();
}

/// Elements that are not what hwrunner's layout says.
std::size_t wrong_elements(const MfmaInstruction& instruction, Cdna architecture, const RunKernel& kernel) {
    const Graph& graph = kernel.graph;
    const std::size_t wide = instruction.is_f64() ? 8 : 4,
                      element = static_cast<std::size_t>(instruction.operand->bits) / 8;
    const std::string unit = std::string(catalogue_name(architecture)) + "/" + instruction.name(architecture);
    std::size_t wrong = 0;
    for (int block = 0; block < instruction.blocks(); ++block)
        for (int i = 0; i < instruction.M; ++i)
            for (int j = 0; j < instruction.N; ++j) {
                const LanePlace at = result_place(instruction, block, i, j);
                const std::size_t byte =
                    (static_cast<std::size_t>(at.lane) * instruction.result_items() + at.item) * wide;
                Code first[1];
                graph.to_codes(kernel.results[0].elements[byte], first);
                const NodeId node = is_known(first[0]) ? 0 : node_of(first[0]);
                bool right = !is_known(first[0]) && graph.kind(node) == Kind::unit &&
                             graph.operation_of(node).name == unit && is_at(graph, graph.arguments(node)[2], 2, byte);
                for (std::uint32_t operand = 0; operand < 2 && right; ++operand) {
                    const auto row = graph.arguments(graph.arguments(node)[operand]);
                    right = row.size() == static_cast<std::size_t>(instruction.K);
                    for (int k = 0; k < instruction.K && right; ++k) {
                        const LanePlace from = operand_place(instruction, block, operand == 0 ? i : j, k);
                        right = is_at(graph, row[static_cast<std::size_t>(k)], operand,
                                      (static_cast<std::size_t>(from.lane) * instruction.operand->items + from.item) *
                                          element);
                    }
                }
                wrong += !right;
            }
    return wrong;
}

constexpr const char* compiler = "clang++-19";

} // namespace

TEST(AmdMatrices, EveryMfmaHasItsRowsAndColumns) {
    int count = 0;
    for (const Cdna architecture : cdna_architectures)
        for (const MfmaInstruction& instruction : mfma_instructions()) {
            if (!instruction.is_of(architecture)) continue;
            SCOPED_TRACE(instruction.name(architecture));
            const RunKernel kernel =
                amd::run_llir(text_of(instruction), "k.llir", launch_of(instruction, architecture, "k"), "", "");
            EXPECT_EQ(wrong_elements(instruction, architecture, kernel), 0u);
            ++count;
        }
    EXPECT_EQ(count, 64);
}

TEST(AmdMatrices, OwnKernelsThroughClangAreTheirUnits) {
    if (!is_program(compiler)) GTEST_SKIP() << "no " << compiler << " to be found (Debian: clang-19 and lld-19)";
    const auto folder =
        std::filesystem::temp_directory_path() / ("discern-amd-" + std::to_string(std::random_device()()));
    std::filesystem::create_directory(folder);
    for (const Cdna architecture : cdna_architectures) {
        std::string text;
        for (const MfmaInstruction& instruction : mfma_instructions()) {
            if (!instruction.is_of(architecture)) continue;
            std::string kernel = hip_kernel(instruction);
            const std::string name = hip_kernel_name, own(instruction.builtin);
            text += "namespace " + own + " {\n" + kernel.replace(kernel.find(name), name.size(), "k_" + own) + "}\n";
        }
        std::ofstream(folder / "kernels.hip") << text;
        const ProcessResult result = run_process(
            std::string(compiler) + " -x hip --cuda-device-only --offload-arch=" + std::string(gfx_name(architecture)) +
                " -nogpuinc -nogpulib -O2 -S -emit-llvm " + (folder / "kernels.hip").string() + " -o " +
                (folder / "kernels.ll").string(),
            "", [] { return false; });
        ASSERT_EQ(result.ended, "exit status 0") << result.errors;
        const std::string made = contents((folder / "kernels.ll").string());
        for (const MfmaInstruction& instruction : mfma_instructions()) {
            if (!instruction.is_of(architecture)) continue;
            SCOPED_TRACE(instruction.name(architecture));
            const RunKernel kernel =
                amd::run_llir(made, "kernels.ll",
                              launch_of(instruction, architecture, "k_" + std::string(instruction.builtin)), "", "");
            EXPECT_EQ(wrong_elements(instruction, architecture, kernel), 0u);
        }
    }
    std::filesystem::remove_all(folder);
}
