// A launch of a kernel, run: what each element of its results is, as nodes of a graph over the operands.
#pragma once

#include "launch.hpp"
#include "programs/graph/graph.hpp"
#include "programs/machine/fragment_order.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern::programs {

/// What an element of an array is.
struct Result {
    std::size_t array = 0;        ///< of the launch
    std::vector<NodeId> elements; ///< row by row
};

struct RunKernel {
    std::string file; ///< its name, for errors
    Launch launch;
    Graph graph; ///< whose leaves have the numbers of arrays of the launch
    std::vector<Result> results;
    std::uint64_t steps = 0;
    /// It reads what an atomic operation found, which is that of one order of blocks and threads.
    bool uses_atomic_results = false;
    std::set<std::string> assumptions{}; ///< of what PTX leaves open, each a sentence
    std::set<std::uint32_t> fragments{}; ///< of wmma: the kinds that there are
    std::string unwaited{};              ///< the first use of a register before a wait for what fills it, or nothing
    /// LLVM does not say which pattern a NaN has that is computed, so that all NaNs are one.
    bool any_nan = false;
    /// Of LLVM IR: why it is not known what becomes of a product and a sum, as the end of a sentence about such pairs.
    std::string fusion{};
    std::string_view language() const { return any_nan ? "LLVM IR" : "PTX"; }
    std::vector<std::pair<NodeId, int>> lines{}; ///< of functions: where they were first computed, in ascending order

    /// The line of a function's node; 0 if it is not known.
    int line_of(NodeId id) const;
};

/// @param ptx  the text of the file @param file  its name, for errors @param order  what PTX leaves open
/// @throws Error with file, line and instruction
RunKernel run_kernel(std::string ptx, const std::string& file, Launch launch, FragmentOrder order = {});

} // namespace discern::programs
