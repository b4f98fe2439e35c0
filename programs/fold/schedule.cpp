#include "schedule.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/gemm.hpp"
#include "models/schedule/outline.hpp"
#include "programs/functions/integer_unit.hpp"

#include <algorithm>
#include <numeric>

namespace discern::programs {

namespace {

/// The k of a leaf whose other indices are the element's own.
std::optional<std::uint32_t> k_of(const Graph& graph, NodeId id) {
    if (graph.kind(id) != Kind::leaf) return std::nullopt;
    const std::string_view letters = Terms::letters(graph.operation_of(id).name);
    const auto indices = graph.arguments(id);
    std::optional<std::uint32_t> k;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        if (letters[i] == 'k')
            k = indices[i];
        else if (indices[i] != own_index)
            return std::nullopt;
    }
    return k && *k != own_index ? k : std::nullopt;
}

/// The k of a row whose elements are all of one array.
std::optional<std::vector<int>> ks_of(const Graph& graph, NodeId row, OpId& leaf) {
    std::vector<int> ks;
    for (const std::uint32_t element : graph.arguments(row)) {
        const auto k = k_of(graph, element);
        if (!k || (!ks.empty() && graph[element].op != leaf)) return std::nullopt;
        leaf = graph[element].op;
        ks.push_back(static_cast<int>(*k));
    }
    return ks;
}

bool is_zero(const Graph& graph, NodeId id) { return graph.kind(id) == Kind::constant && graph.bits(id) == 0; }

/// What chains begin with: +0, or a leaf of the element's own.
bool is_base(const Graph& graph, NodeId id) {
    if (graph.kind(id) != Kind::leaf) return is_zero(graph, id);
    const auto indices = graph.arguments(id);
    return std::all_of(indices.begin(), indices.end(), [](std::uint32_t index) { return index == own_index; });
}

std::optional<Chain> chain_at(const Graph& graph, NodeId term) {
    if (graph.kind(term) != Kind::unit) return std::nullopt;
    Chain chain{.unit = graph[term].op, .a = 0, .b = 0, .k = {}, .base = term};
    std::vector<std::vector<int>> steps;
    while (graph.kind(chain.base) == Kind::unit) {
        const auto arguments = graph.arguments(chain.base);
        if (arguments.size() != 3) return std::nullopt; // scales
        OpId a = 0, b = 0;
        const auto of_a = ks_of(graph, arguments[0], a), of_b = ks_of(graph, arguments[1], b);
        if (!of_a || of_a != of_b || graph[chain.base].op != chain.unit) return std::nullopt;
        if (!steps.empty() && (a != chain.a || b != chain.b)) return std::nullopt;
        chain.a = a, chain.b = b;
        steps.push_back(*of_a);
        chain.base = arguments[2];
    }
    if (!is_base(graph, chain.base)) return std::nullopt;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        chain.k.insert(chain.k.end(), step->begin(), step->end());
    return chain;
}

/// A sum of chains: what is proposed is made of them.
struct Sum {
    std::vector<Chain> chains;
    bool has_zero = false; ///< +0 is one of the terms
    FormatId format = FormatId::f32;
    std::optional<FormatId> result{}; ///< to which the end is converted
};

/// The chains of a tree of additions, in the order in which it reads from left to right. @return whether it is one
bool collect(const Graph& graph, NodeId top, Sum& sum) {
    std::vector<NodeId> waiting = {top};
    while (!waiting.empty()) {
        const NodeId id = waiting.back();
        waiting.pop_back();
        if (is_zero(graph, id)) {
            sum.has_zero = true;
        } else if (const auto chain = chain_at(graph, id)) {
            sum.chains.push_back(*chain);
        } else {
            const std::string_view name = graph.operation_of(id).name;
            if (graph.kind(id) != Kind::function || (name != "add.f32" && name != "add.f64") ||
                sum.chains.size() > 4096)
                return false;
            if (name == "add.f64") sum.format = FormatId::f64;
            for (const std::uint32_t operand : graph.arguments(id)) waiting.push_back(operand);
        }
    }
    return !sum.chains.empty();
}

/// Chains of one unit and one pair of arrays that take each k below K once. @return K, or nothing
std::optional<int> length_of(const Sum& sum) {
    std::vector<int> all;
    for (const Chain& chain : sum.chains) {
        if (chain.unit != sum.chains[0].unit || chain.a != sum.chains[0].a || chain.b != sum.chains[0].b)
            return std::nullopt;
        all.insert(all.end(), chain.k.begin(), chain.k.end());
    }
    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] != static_cast<int>(i)) return std::nullopt;
    return static_cast<int>(all.size());
}

/// Elements that are dealt at a time, where every chain takes every n-th run.
std::optional<int> run_of(const Sum& sum) {
    int run = 0;
    const std::vector<int>& first = sum.chains.back().k;
    for (const Chain& chain : sum.chains)
        if (chain.k[0] == 0) {
            run = 1;
            while (static_cast<std::size_t>(run) < chain.k.size() && chain.k[static_cast<std::size_t>(run)] == run)
                ++run;
        }
    return run == 0 || first.size() % static_cast<std::size_t>(run) != 0 ? std::nullopt : std::optional(run);
}

std::vector<Schedule> proposals(const Sum& sum) {
    Schedule plain;
    const auto narrower = sum.result;
    if (narrower) plain.result = Conversion{*narrower, Rounding::rne};
    const Conversion addition{sum.format, Rounding::rne};
    if (sum.chains.size() == 1 && !sum.has_zero) return {plain};
    std::vector<Schedule> all;
    const std::size_t longest =
        std::max_element(sum.chains.begin(), sum.chains.end(), [](const Chain& x, const Chain& y) {
            return x.k.size() < y.k.size();
        })->k.size();
    Schedule promoted = plain;
    promoted.promote = Promotion{static_cast<int>(longest), addition};
    all.push_back(promoted);
    std::vector<Chain> by_k = sum.chains;
    std::sort(by_k.begin(), by_k.end(), [](const Chain& x, const Chain& y) { return x.k[0] < y.k[0]; });
    const bool is_even =
        std::all_of(by_k.begin(), by_k.end(), [&](const Chain& chain) { return chain.k.size() == longest; });
    Schedule split = plain, sliced = plain;
    split.reduce = sliced.reduce = addition;
    if (is_even)
        split.split = {static_cast<int>(by_k.size())};
    else
        for (const Chain& chain : by_k) split.split.push_back(static_cast<int>(chain.k.size()));
    sliced.slice = static_cast<int>(by_k.size());
    sliced.run = run_of(sum);
    for (std::size_t order = 0; order < fold_order_names.size(); ++order) {
        split.order = sliced.order = static_cast<FoldOrder>(order);
        all.push_back(split);
        if (sliced.run) all.push_back(sliced);
    }
    return all;
}

} // namespace

NodeId term_of(Terms& terms, const Kernel& kernel, OpId unit, const ScheduledOperands& operands) {
    Graph& graph = terms.graph;
    const OpId row = graph.operation("row", Kind::row);
    const auto element = [&](OpId leaf, int k, FormatId id) {
        const std::string letters(Terms::letters(graph.operation(leaf).name));
        std::vector<std::uint32_t> indices(letters.size(), own_index);
        indices[letters.find('k')] = static_cast<std::uint32_t>(k);
        return graph.node(leaf, static_cast<unsigned>(word_bytes(id)), indices);
    };
    const auto row_of = [&](OpId leaf, int first, FormatId id) {
        std::vector<NodeId> elements;
        for (int k = 0; k < kernel.unit.K; ++k) elements.push_back(element(leaf, first + k, id));
        return graph.node(row, 0, elements);
    };
    std::vector<NodeId> values;
    std::vector<FormatId> formats;
    for (const OutlineStep& step : outline(kernel)) {
        const auto size = static_cast<unsigned>(word_bytes(step.format));
        const std::string name(format(step.format).name);
        NodeId value = 0;
        switch (step.kind) {
        case OutlineStep::Kind::c: value = operands.c; break;
        case OutlineStep::Kind::zero: value = graph.constant(0, size); break;
        case OutlineStep::Kind::chain:
            value = step.x < 0 ? graph.constant(0, size) : values[static_cast<std::size_t>(step.x)];
            for (const int instruction : step.instructions) {
                const NodeId arguments[3] = {row_of(operands.a, instruction * kernel.unit.K, kernel.unit.a),
                                             row_of(operands.b, instruction * kernel.unit.K, kernel.unit.b), value};
                value = graph.node(unit, size, arguments);
            }
            break;
        case OutlineStep::Kind::add: {
            NodeId arguments[2] = {values[static_cast<std::size_t>(step.x)], values[static_cast<std::size_t>(step.y)]};
            if (arguments[0] > arguments[1]) std::swap(arguments[0], arguments[1]);
            value = graph.node(graph.operation(step.mode == Rounding::rne
                                                   ? "add." + name
                                                   : "add." + std::string(discern::name(step.mode)) + "." + name),
                               size, arguments);
            break;
        }
        case OutlineStep::Kind::convert: {
            const NodeId argument[1] = {values[static_cast<std::size_t>(step.x)]};
            const std::string from(format(formats[static_cast<std::size_t>(step.x)]).name);
            value = graph.node(
                graph.operation("cvt." + std::string(step.mode == Rounding::rne ? "rn" : discern::name(step.mode)) +
                                "." + name + "." + from),
                size, argument);
            break;
        }
        }
        values.push_back(value);
        formats.push_back(step.format);
    }
    return values.back();
}

std::optional<ScheduledTerm> schedule_of(Terms& terms, NodeId term) {
    Graph& graph = terms.graph;
    Sum sum;
    NodeId top = term;
    const std::string_view name = graph.operation_of(term).name;
    if (graph.kind(term) == Kind::function && name.starts_with("cvt.rn.") && name.ends_with(".f32") &&
        graph[term].count == 1) {
        sum.result = format_from_name(name.substr(7, name.size() - 11));
        if (!sum.result) return std::nullopt;
        top = graph.arguments(term)[0];
    }
    if (!collect(graph, top, sum)) return std::nullopt;
    const auto K = length_of(sum);
    if (!K || *K > longest_kernel) return std::nullopt;
    const std::string unit_name = graph.operation(sum.chains[0].unit).name;
    if (integer_unit(unit_name)) return std::nullopt; // schedules are of the catalogue's units
    ScheduledOperands operands{sum.chains[0].a, sum.chains[0].b, graph.constant(0, graph[top].size)};
    for (const Chain& chain : sum.chains)
        if (!is_zero(graph, chain.base)) operands.c = chain.base;
    for (const Schedule& schedule : proposals(sum)) {
        Kernel kernel{.unit = resolve_unit(unit_name), .K = *K, .schedule = schedule};
        try {
            validate(kernel);
        } catch (const Error&) {
            continue;
        }
        if (term_of(terms, kernel, sum.chains[0].unit, operands) == term)
            return ScheduledTerm{std::move(kernel), unit_name + "@[" + to_string(schedule, *K) + "]", operands};
    }
    return std::nullopt;
}

} // namespace discern::programs
