#include "plan.hpp"

#include "models/error.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

class Planner {
  public:
    Planner(const Graph& graph, std::span<const NodeId> roots)
        : graph_(graph), uses_(graph.size()), chained_(graph.size()), levels_(graph.size()) {
        std::vector<bool> needed(graph.size());
        for (const NodeId root : roots) {
            needed[root] = true;
            ++uses_[root];
        }
        std::vector<NodeId> operands;
        for (auto id = static_cast<NodeId>(graph.size()); id-- > 0;) {
            if (!needed[id]) continue;
            nodes_.push_back(id);
            graph.operands(id, operands);
            for (std::size_t i = 0; i < operands.size(); ++i) {
                needed[operands[i]] = true;
                const bool continues = graph.kind(id) == Kind::unit && i == 2 && graph[operands[i]].op == graph[id].op;
                ++(continues ? chained_ : uses_)[operands[i]];
            }
        }
        std::reverse(nodes_.begin(), nodes_.end());
    }

    Order order() {
        Order made;
        for (const NodeId id : nodes_) {
            switch (graph_.kind(id)) {
            case Kind::leaf: made.leaves.push_back(id); break;
            case Kind::constant: made.constants.push_back(id); break;
            case Kind::unwritten: throw Error("the result depends on memory or registers that nothing has written");
            case Kind::row: levels_[id] = level_of_operands(id); break;
            case Kind::unit: unit(id); break;
            case Kind::bytes:
            case Kind::function:
                levels_[id] = level_of_operands(id) + 1;
                groups_[{levels_[id], graph_[id].op, 0}].nodes.push_back(id);
                break;
            }
        }
        for (auto& [key, group] : groups_) {
            group.op = std::get<1>(key);
            if (!group.chains.empty()) share_rows(group);
            made.groups.push_back(std::move(group));
        }
        return made;
    }

  private:
    std::uint32_t level_of_operands(NodeId id) {
        std::uint32_t level = 0;
        graph_.operands(id, operands_);
        for (const NodeId operand : operands_) level = std::max(level, levels_[operand]);
        return level;
    }

    /// Whether a unit's result is used as more than the accumulator of the one instruction behind it.
    bool is_end(NodeId id) const { return uses_[id] > 0 || chained_[id] > 1; }

    void unit(NodeId id) {
        levels_[id] = level_of_operands(id);
        if (!is_end(id)) return;
        ++levels_[id];
        ChainNode chain{.end = id, .base = graph_.arguments(id)[2]};
        std::uint32_t length = 1;
        while (graph_.kind(chain.base) == Kind::unit && graph_[chain.base].op == graph_[id].op && !is_end(chain.base)) {
            chain.base = graph_.arguments(chain.base)[2];
            ++length;
        }
        groups_[{levels_[id], graph_[id].op, length}].chains.push_back(chain);
    }

    /// The operands of a chain: its first two arguments, or those of all its instructions.
    std::vector<NodeId> rows_of(const ChainNode& chain, std::size_t argument) const {
        std::vector<NodeId> rows;
        for (NodeId id = chain.end; id != chain.base; id = graph_.arguments(id)[2])
            rows.push_back(graph_.arguments(id)[argument]);
        std::reverse(rows.begin(), rows.end());
        return rows;
    }

    std::vector<NodeId> elements_of(const std::vector<NodeId>& rows) const {
        std::vector<NodeId> elements;
        for (const NodeId row : rows) {
            const auto given = graph_.arguments(row);
            elements.insert(elements.end(), given.begin(), given.end());
        }
        return elements;
    }

    void share_rows(Group& group) const {
        std::map<std::vector<NodeId>, std::uint32_t> of_a, of_b, of_sa, of_sb;
        const bool has_scales = graph_.arguments(group.chains[0].end).size() > 3;
        for (ChainNode& chain : group.chains) {
            const auto number = [&](auto& known, auto& rows, std::size_t argument) {
                std::vector<NodeId> key = rows_of(chain, argument);
                const auto [found, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(rows.size()));
                if (is_new) rows.push_back(elements_of(key));
                return found->second;
            };
            chain.a = number(of_a, group.rows_a, 0);
            chain.b = number(of_b, group.rows_b, 1);
            if (has_scales) chain.sa = number(of_sa, group.rows_sa, 3);
            if (has_scales) chain.sb = number(of_sb, group.rows_sb, 4);
        }
        if (has_scales) return;
        if (group.chains.size() != group.rows_a.size() * group.rows_b.size()) return;
        std::sort(group.chains.begin(), group.chains.end(),
                  [](const ChainNode& x, const ChainNode& y) { return std::pair(x.a, x.b) < std::pair(y.a, y.b); });
        group.is_product = true;
        for (std::size_t i = 0; i < group.chains.size(); ++i) {
            const ChainNode& chain = group.chains[i];
            group.is_product &= chain.a == i / group.rows_b.size() && chain.b == i % group.rows_b.size();
        }
    }

    const Graph& graph_;
    std::vector<std::uint32_t> uses_, chained_, levels_;
    std::vector<NodeId> nodes_, operands_;
    std::map<std::tuple<std::uint32_t, OpId, std::uint32_t>, Group> groups_;
};

} // namespace

Order order_of(const Graph& graph, std::span<const NodeId> roots) { return Planner(graph, roots).order(); }

} // namespace discern::programs
