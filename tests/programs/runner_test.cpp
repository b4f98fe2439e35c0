// discern's own kernels for GPUs, run here: each gives unit(row of a, row of b, c) for every element. Their layouts are
// hwrunner's tables, and those of this machine were written from the ISA's text a second time, so each tests the other.
#include "kernel_files.hpp"

#include "hwrunner/nvidia/fragments.hpp"
#include "hwrunner/nvidia/ptx.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"

#include <gtest/gtest.h>

using namespace discern;
using namespace discern::programs;

namespace {

constexpr std::uint32_t images = 2; // of which the second is looked at

Launch launch_of(const ImageLayout& layout, const CudaInstruction& instruction) {
    Launch launch;
    launch.block = {static_cast<unsigned>(threads_per_block(instruction))};
    const auto array = [&](const char* name, std::size_t bytes, bool is_result) {
        ArraySpec made{.name = name,
                       .format = "u8",
                       .element = 1,
                       .shape = {static_cast<std::uint32_t>(images * bytes)},
                       .axes = "i",
                       .strides = {1},
                       .initial = {}};
        made.is_result = is_result;
        launch.arrays.push_back(made);
        launch.arguments.push_back({.kind = ArgumentSpec::Kind::array, .array = launch.arrays.size() - 1});
    };
    array("in", layout.in_bytes, false);
    array("out", layout.out_bytes, true);
    launch.arguments.push_back({.kind = ArgumentSpec::Kind::bytes, .array = 0, .bytes = {images, 0, 0, 0}});
    return launch;
}

/// Whether a node is the bytes at a bit offset of the second image.
bool is_at(const Graph& graph, NodeId node, std::size_t bit, std::size_t in_bytes) {
    Code codes[8];
    const unsigned size = graph[node].size;
    graph.to_codes(node, {codes, size});
    for (unsigned i = 0; i < size; ++i) {
        if (is_known(codes[i]) || codes[i] == unwritten_byte) return false;
        const NodeId leaf = node_of(codes[i]);
        if (graph.kind(leaf) != Kind::leaf || graph.arguments(leaf)[1] != in_bytes + bit / 8 + i) return false;
    }
    return true;
}

/// Elements that are not what they should be.
std::size_t wrong_elements(const CudaInstruction& instruction, const RunKernel& kernel, const ImageLayout& layout) {
    const Graph& graph = kernel.graph;
    const auto [M, N] =
        std::pair(static_cast<std::size_t>(instruction.shape.M), static_cast<std::size_t>(instruction.shape.N));
    const auto K = static_cast<std::size_t>(instruction.shape.dot.K);
    const unsigned size = static_cast<unsigned>(format(instruction.shape.dot.d).width / 8);
    std::size_t wrong = 0;
    for (std::size_t x = 0; x < layout.d.size(); ++x) {
        std::vector<Code> codes;
        for (unsigned i = 0; i < size; ++i) {
            Code one[1];
            graph.to_codes(kernel.results[0].elements[layout.out_bytes + layout.d[x] / 8 + i], one);
            codes.push_back(one[0]);
        }
        const NodeId node = node_of(codes[0]);
        bool right = !is_known(codes[0]) && codes[0] != unwritten_byte && graph.kind(node) == Kind::unit &&
                     graph[node].size == size;
        for (unsigned i = 0; i < size && right; ++i) right = codes[i] == code_of(node, i);
        const std::size_t tile = x / (M * N), row = x / N % M, column = x % N;
        for (std::size_t k = 0; k < K && right; ++k)
            right = is_at(graph, graph.arguments(graph.arguments(node)[0])[k], layout.a[(tile * M + row) * K + k],
                          layout.in_bytes) &&
                    is_at(graph, graph.arguments(graph.arguments(node)[1])[k], layout.b[(tile * N + column) * K + k],
                          layout.in_bytes);
        right = right && is_at(graph, graph.arguments(node)[2], layout.c[x], layout.in_bytes);
        // A unit of the same arithmetic may have another name.
        right = right && arithmetic_hash(resolve_unit(graph.operation_of(node).name)) ==
                             arithmetic_hash(resolve_unit(instruction.unit));
        wrong += !right;
    }
    return wrong;
}

} // namespace

TEST(RunnerKernels, GiveTheirUnits) {
    int right = 0, refused = 0;
    for (const char* architecture : {"volta", "turing", "ampere", "ada", "hopper", "blackwell", "rtxblackwell"})
        for (const std::string& name : cuda_instructions(architecture)) {
            SCOPED_TRACE(name);
            const CudaInstruction instruction = cuda_instruction(name, capabilities_of(architecture).front());
            const ImageLayout layout = image_layout(instruction);
            try {
                const RunKernel kernel = run_kernel(ptx_module(instruction), name, launch_of(layout, instruction));
                EXPECT_EQ(wrong_elements(instruction, kernel, layout), 0u);
                ++right;
            } catch (const Error& error) {
                EXPECT_NE(std::string(error.what()).find("not read"), std::string::npos) << error.what();
                ++refused;
            }
        }
    std::printf("%d kernels are right, %d are refused\n", right, refused);
    EXPECT_GE(right, 150);
}
