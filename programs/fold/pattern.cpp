#include "pattern.hpp"

#include <algorithm>
#include <utility>

namespace discern::programs {

namespace {

class Generalising {
  public:
    explicit Generalising(Graph& graph) : graph_(graph) {}

    std::optional<Pattern> of(const std::vector<NodeId>& terms) {
        pattern_ = {};
        const auto term = merge(terms, 0);
        if (!term) return std::nullopt;
        pattern_.term = *term;
        return pattern_;
    }

  private:
    std::optional<NodeId> merge(const std::vector<NodeId>& terms, int depth) {
        const Node& first = graph_[terms[0]];
        if (std::all_of(terms.begin(), terms.end(), [&](NodeId term) { return term == terms[0]; })) return terms[0];
        for (const NodeId term : terms)
            if (graph_[term].op != first.op || graph_[term].count != first.count || depth > 64) return std::nullopt;
        const Kind kind = graph_.kind(terms[0]);
        if (kind == Kind::leaf) return merge_leaves(terms);
        if (kind == Kind::constant || kind == Kind::unwritten || kind == Kind::bytes) return std::nullopt;
        const OpId op = first.op;
        const unsigned size = first.size;
        const std::uint32_t count = first.count;
        std::vector<NodeId> merged, column(terms.size());
        for (std::uint32_t i = 0; i < count; ++i) {
            for (std::size_t t = 0; t < terms.size(); ++t) column[t] = graph_.arguments(terms[t])[i];
            const auto argument = merge(column, depth + 1);
            if (!argument) return std::nullopt;
            merged.push_back(*argument);
        }
        return graph_.node(op, size, merged);
    }

    std::optional<NodeId> merge_leaves(const std::vector<NodeId>& terms) {
        const auto first = graph_.arguments(terms[0]);
        std::vector<std::uint32_t> indices(first.begin(), first.end());
        std::optional<std::size_t> runs;
        for (const NodeId term : terms)
            for (std::size_t i = 0; i < indices.size(); ++i)
                if (graph_.arguments(term)[i] != first[i]) {
                    if (runs && *runs != i) return std::nullopt;
                    runs = i;
                }
        std::vector<std::uint32_t> values;
        for (const NodeId term : terms) values.push_back(graph_.arguments(term)[*runs]);
        if (!pattern_.values.empty() && pattern_.values != values) return std::nullopt;
        pattern_.values = std::move(values);
        const OpId op = graph_[terms[0]].op;
        const unsigned size = graph_[terms[0]].size;
        pattern_.letter = Terms::letters(graph_.operation(op).name)[*runs];
        indices[*runs] = running_index;
        return graph_.node(op, size, indices);
    }

    Graph& graph_;
    Pattern pattern_;
};

} // namespace

std::optional<Pattern> pattern_of(Graph& graph, const std::vector<NodeId>& terms) {
    return Generalising(graph).of(terms);
}

} // namespace discern::programs
