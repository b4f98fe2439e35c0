#include "reading.hpp"

#include "programs/functions/functions.hpp"

#include <algorithm>
#include <set>

namespace discern::programs {

namespace {

/// All nodes below some, each once.
template <typename Visit>
void walk(const Graph& graph, std::vector<NodeId> waiting, const Visit& visit) {
    std::vector<bool> seen(graph.size());
    std::vector<NodeId> operands;
    while (!waiting.empty()) {
        const NodeId id = waiting.back();
        waiting.pop_back();
        if (seen[id]) continue;
        seen[id] = true;
        visit(id);
        graph.operands(id, operands);
        waiting.insert(waiting.end(), operands.begin(), operands.end());
    }
}

/// Whether the assembler may fuse it with another: it has no .rn.
bool may_be_fused(std::string_view name, std::initializer_list<std::string_view> roots) {
    const bool is_one =
        std::any_of(roots.begin(), roots.end(), [&](std::string_view root) { return name.starts_with(root); });
    return is_one && name.find(".rn") == std::string_view::npos && name.find(".rz") == std::string_view::npos;
}

std::uint64_t contractible_pairs(const Graph& graph, const std::vector<NodeId>& roots) {
    std::uint64_t count = 0;
    walk(graph, roots, [&](NodeId id) {
        if (graph.kind(id) != Kind::function || !may_be_fused(graph.operation_of(id).name, {"add.", "sub."})) return;
        for (const NodeId operand : graph.arguments(id))
            count += graph.kind(operand) == Kind::function &&
                     may_be_fused(graph.operation_of(operand).name, {"mul.", "div.full."});
    });
    return count;
}

ReadResult read(const RunKernel& kernel, const Result& result, Terms& terms) {
    ReadResult read{.folded = fold(kernel, result, terms), .schedule = {}, .uninterpreted = {}, .contractible = 0};
    std::vector<NodeId> tops, roots;
    for (const auto& one : read.folded.classes) {
        tops.push_back(one.term);
        roots.push_back(result.elements[one.first]);
    }
    std::set<std::string> names;
    walk(terms.graph, tops, [&](NodeId id) {
        if (terms.graph.kind(id) != Kind::function) return;
        const std::string& name = terms.graph.operation_of(id).name;
        if (const Function function = function_of(name); !function || !function.is_exact) names.insert(name);
    });
    read.uninterpreted.assign(names.begin(), names.end());
    read.contractible = contractible_pairs(kernel.graph, roots);
    if (tops.size() == 1) read.schedule = schedule_of(terms, tops[0]);
    return read;
}

} // namespace

KernelReading read_kernel(std::string ptx, const std::string& file, Launch launch, Terms& terms) {
    KernelReading reading{.kernel = run_kernel(std::move(ptx), file, std::move(launch)), .results = {}};
    for (const Result& result : reading.kernel.results) reading.results.push_back(read(reading.kernel, result, terms));
    return reading;
}

} // namespace discern::programs
