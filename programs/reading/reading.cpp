#include "reading.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include "programs/functions/functions.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace discern::programs {

namespace {

template <typename Visit>
void walk(const Graph& graph, const std::vector<NodeId>& tops, const Visit& visit) {
    std::vector<bool> seen;
    programs::walk(graph, tops, seen, visit);
}

/// Whether the assembler may fuse it with another: it has no .rn.
bool may_be_fused(std::string_view name, const std::array<std::string_view, 2>& roots) {
    const bool is_one =
        std::any_of(roots.begin(), roots.end(), [&](std::string_view root) { return name.starts_with(root); });
    return is_one && std::ranges::none_of(std::array{".rn", ".rz", ".rm", ".rp"}, [&](std::string_view mode) {
               return name.find(mode) != std::string_view::npos;
           });
}

constexpr std::array<std::string_view, 2> sums = {"add.", "sub."};
constexpr std::array<std::string_view, 2> products = {"mul.", "div.full."};

template <typename Is>
bool has_operation(const Graph& graph, const Is& is) {
    return std::ranges::any_of(graph.operations(), [&](const Operation& operation) { return is(operation.name); });
}

void count_contractible(const RunKernel& kernel, const std::vector<NodeId>& roots, ReadResult& into) {
    const Graph& graph = kernel.graph;
    if (!has_operation(graph, [](std::string_view name) { return may_be_fused(name, sums); }) ||
        !has_operation(graph, [](std::string_view name) { return may_be_fused(name, products); }))
        return;
    std::vector<char> roles; // of operations
    for (const Operation& operation : graph.operations())
        roles.push_back(operation.kind != Kind::function         ? ' '
                        : may_be_fused(operation.name, sums)     ? '+'
                        : may_be_fused(operation.name, products) ? '*'
                        : operation.name.starts_with("neg.")     ? '-'
                                                                 : ' ');
    const auto pairs = [&](NodeId id) {
        if (roles[graph[id].op] != '+') return std::ptrdiff_t(0);
        return std::ranges::count_if(graph.arguments(id), [&](NodeId operand) {
            if (roles[graph[operand].op] == '-') operand = graph.arguments(operand)[0];
            return roles[graph[operand].op] == '*';
        });
    };
    NodeId first = 0;
    while (first < graph.size() && pairs(first) == 0) ++first;
    if (first == graph.size()) return; // nor do the roots have one
    walk(graph, roots, [&](NodeId id) {
        const std::ptrdiff_t found = pairs(id);
        if (found == 0) return;
        into.contractible += static_cast<std::size_t>(found);
        into.contractible_line = kernel.line_of(id);
    });
}

/// Whether an atomic sum of a term is more than one addition, or two to +0, which may be exchanged.
bool has_ordered_sum(const Graph& graph, const std::vector<NodeId>& roots) {
    bool is_ordered = false;
    if (!has_operation(graph, [](std::string_view name) { return name.starts_with("atom.add."); })) return false;
    walk(graph, roots, [&](NodeId id) {
        if (graph.kind(id) != Kind::function || !graph.operation_of(id).name.starts_with("atom.add.")) return;
        std::size_t additions = 0;
        bool has_zero = false;
        std::vector<NodeId> waiting = {id};
        while (!waiting.empty()) {
            const NodeId now = waiting.back();
            waiting.pop_back();
            if (graph[now].op == graph[id].op) {
                ++additions;
                waiting.insert(waiting.end(), graph.arguments(now).begin(), graph.arguments(now).end());
            }
            has_zero |= graph.kind(now) == Kind::constant && graph.bits(now) == 0;
        }
        is_ordered |= additions > (has_zero ? 2u : 1u);
    });
    return is_ordered;
}

ReadResult read(const RunKernel& kernel, const Result& result, Terms& terms) {
    ReadResult read{.folded = fold(kernel, result, terms), .schedule = {}, .uninterpreted = {}};
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
    count_contractible(kernel, roots, read);
    // Terms do not say whether .rn was written: elements of one term may differ in it.
    if (read.contractible == 0) count_contractible(kernel, result.elements, read);
    read.order_matters = kernel.uses_atomic_results || has_ordered_sum(terms.graph, tops);
    if (tops.size() == 1) read.schedule = schedule_of(terms, tops[0]);
    return read;
}

} // namespace

KernelReading reading_of(RunKernel kernel, Terms& terms) {
    KernelReading reading{.kernel = std::move(kernel), .results = {}};
    for (const Result& result : reading.kernel.results) reading.results.push_back(read(reading.kernel, result, terms));
    return reading;
}

namespace {

/// PTX does not say where a fragment of wmma has its elements, and those of each kind may be elsewhere. Nothing may
/// depend on that: the terms are those of the kernel with its fragments of one kind in a cycle, and with two elements
/// exchanged. Every order is made of these two.
void require_whole_fragments(const std::string& ptx, const KernelReading& reading, Terms& terms) {
    using Order = FragmentOrder::Order;
    const RunKernel& kernel = reading.kernel;
    for (const std::uint32_t kind : kernel.fragments)
        for (const Order order : {Order::cycle, Order::exchange}) {
            const RunKernel other = run_kernel(ptx, kernel.file, kernel.launch, {order, kind});
            for (std::size_t i = 0; i < reading.results.size(); ++i)
                if (fold(other, other.results[i], terms).elements != reading.results[i].folded.elements)
                    throw Error(
                        sentence(kernel.file, ": ", reading.results[i].folded.name,
                                 " depends on where the elements of a fragment of wmma are, which PTX does not say"));
        }
}

} // namespace

KernelReading read_kernel(std::string ptx, const std::string& file, Launch launch, Terms& terms) {
    KernelReading reading = reading_of(run_kernel(ptx, file, std::move(launch)), terms);
    require_whole_fragments(ptx, reading, terms);
    return reading;
}

} // namespace discern::programs
