// discern's own kernels for GPUs, run by the machine of programs/, and whether each element is its unit of the
// element's row and column. Their layouts are hwrunner's tables; those of the machine were written from the ISA's text.
#pragma once

#include "hwrunner/nvidia/fragments.hpp"
#include "hwrunner/nvidia/ptx.hpp"
#include "models/catalogue.hpp"
#include "programs/launch/run.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace discern::programs {

inline constexpr std::uint32_t images = 2; // of which the second is looked at

inline Launch launch_of(const ImageLayout& layout, const CudaInstruction& instruction) {
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

/// Whether a node is the element at a bit offset of the second image.
inline bool is_at(const Graph& graph, NodeId node, std::size_t bit, std::size_t in_bytes, FormatId id) {
    if (graph.kind(node) == Kind::function && graph.operation_of(node).name == "bits") { // of one or two bytes
        const auto arguments = graph.arguments(node);
        return graph.bits(arguments[1]) == bit % 8 &&
               graph.bits(arguments[2]) == static_cast<unsigned>(format(id).width) &&
               graph[arguments[0]].size == (bit % 8 + static_cast<std::size_t>(format(id).width) + 7) / 8 &&
               is_at(graph, arguments[0], bit / 8 * 8, in_bytes, FormatId::e4m3);
    }
    if (bit % 8 != 0) return false;
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

/// Whether a unit's scales are those of its row and column, each in any of the lanes that hold it.
inline bool has_scales(const CudaInstruction& instruction, const Graph& graph, NodeId node, const ImageLayout& layout,
                       std::size_t row, std::size_t column) {
    const auto scales = static_cast<std::size_t>(instruction.shape.dot.scales());
    const auto arguments = graph.arguments(node);
    if (arguments.size() != (scales == 0 ? 3u : 5u)) return false;
    const auto is_any = [&](NodeId scale, const std::vector<std::size_t>& places) {
        return std::any_of(places.begin(), places.end(),
                           [&](std::size_t bit) { return is_at(graph, scale, bit, layout.in_bytes, FormatId::e8m0); });
    };
    for (std::size_t s = 0; s < scales; ++s)
        if (!is_any(graph.arguments(arguments[3])[s], layout.sa[row * scales + s]) ||
            !is_any(graph.arguments(arguments[4])[s], layout.sb[column * scales + s]))
            return false;
    return true;
}

/// Elements that are not what they should be.
inline std::size_t wrong_elements(const CudaInstruction& instruction, const RunKernel& kernel,
                                  const ImageLayout& layout) {
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
                          layout.in_bytes, instruction.shape.dot.a) &&
                    is_at(graph, graph.arguments(graph.arguments(node)[1])[k], layout.b[(tile * N + column) * K + k],
                          layout.in_bytes, instruction.shape.dot.b);
        right = right &&
                is_at(graph, graph.arguments(node)[2], layout.c[x], layout.in_bytes, *instruction.shape.dot.c) &&
                has_scales(instruction, graph, node, layout, row, column);
        // A unit of the same arithmetic may have another name.
        right = right && arithmetic_hash(resolve_unit(graph.operation_of(node).name)) ==
                             arithmetic_hash(resolve_unit(instruction.unit));
        wrong += !right;
    }
    return wrong;
}

} // namespace discern::programs
