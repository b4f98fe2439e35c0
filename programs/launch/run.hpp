// A launch of a kernel, run: what each element of its results is, as nodes of a graph over the operands.
#pragma once

#include "launch.hpp"
#include "programs/graph/graph.hpp"
#include "programs/ptx/program.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace discern::programs {

/// What an element of an array is.
struct Result {
    std::size_t array = 0;        ///< of the launch
    std::vector<NodeId> elements; ///< row by row
};

struct RunKernel {
    std::unique_ptr<const Program> program;
    Launch launch;
    Graph graph; ///< whose leaves have the numbers of arrays of the launch
    std::vector<Result> results;
    std::uint64_t steps = 0;
    bool has_ordered_atomics = false; ///< sums of numbers in the order of blocks and threads of this run
};

/// @param ptx  the text of the file @param file  its name, for errors @throws Error with file, line and instruction
RunKernel run_kernel(std::string ptx, const std::string& file, Launch launch);

} // namespace discern::programs
