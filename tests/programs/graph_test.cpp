// Equal nodes are one node, and different ones are not, wherever they are found: beside an operand or in the table.
#include "programs/graph/graph.hpp"

#include "models/random.hpp"

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

using namespace discern;
using namespace discern::programs;

TEST(Graph, EqualNodesAreOne) {
    constexpr std::uint64_t seed = 17;
    Random random(seed);
    Graph graph;
    const OpId operations[] = {graph.operation("row", Kind::row), graph.operation("u", Kind::unit),
                               graph.operation("v", Kind::unit), graph.operation("f", Kind::function),
                               graph.operation("g", Kind::function)};
    std::map<std::tuple<OpId, unsigned, std::vector<NodeId>>, NodeId> made;
    for (int round = 0; round < 2; ++round) {
        graph.leaves(0, 20, 4);
        for (int i = 0; i < 200'000; ++i) {
            const OpId op = operations[random.below(static_cast<int>(std::size(operations)))];
            const unsigned size = random.one_in(2) ? 4 : 2;
            std::vector<NodeId> arguments(static_cast<std::size_t>(random.below(5)));
            // Among few nodes, so that most are asked for again.
            for (NodeId& argument : arguments)
                argument = static_cast<NodeId>(random.below(random.one_in(3) ? static_cast<int>(graph.size()) : 20));
            const NodeId id = graph.node(op, size, arguments);
            const auto [known, is_new] = made.try_emplace({op, size, arguments}, id);
            ASSERT_EQ(known->second, id) << "with seed " << seed;
            ASSERT_EQ(is_new, id + 1 == graph.size());
            if (!is_new) continue;
            ASSERT_EQ(graph[id].op, op);
            ASSERT_EQ(graph[id].size, size);
            const auto kept = graph.arguments(id);
            ASSERT_EQ(std::vector<NodeId>(kept.begin(), kept.end()), arguments);
        }
        EXPECT_LT(made.size(), 190'000u);
        graph.forget_nodes();
        made.clear();
    }
}
