#include "cones.hpp"

#include <algorithm>
#include <queue>

namespace discern::certificate {

std::vector<std::uint32_t> Cones::inputs(std::size_t gate, std::size_t other) const {
    std::vector<std::uint32_t> list = {static_cast<std::uint32_t>(gate), static_cast<std::uint32_t>(other)};
    for (const std::size_t node : {gate, other}) visit_inputs(node, [&](std::uint32_t in) { list.push_back(in); });
    std::erase(list, 0u);
    return list;
}

std::vector<std::uint32_t> Cones::all(std::size_t gate, std::size_t other, std::size_t most) {
    ++visit_;
    std::vector<std::uint32_t> list;
    std::priority_queue<std::uint32_t> next; // ranks
    const auto visit = [&](std::size_t node) {
        if (is_first(node)) next.push(rank_[node]);
    };
    // The gate may have no rank yet.
    list.push_back(static_cast<std::uint32_t>(gate));
    visited_[gate] = visit_;
    visit_inputs(gate, visit);
    visit(other);
    while (!next.empty() && list.size() < most) {
        const std::uint32_t node = of_rank_[next.top()];
        next.pop();
        list.push_back(node);
        visit_inputs(node, visit);
    }
    return list;
}

std::vector<std::uint32_t> Cones::by_any_way(std::size_t gate, std::size_t other) {
    constexpr std::size_t depth = 3, last_ways = 3;
    ++visit_;
    std::vector<std::uint32_t> list = {static_cast<std::uint32_t>(gate)};
    if (other != 0) list.push_back(static_cast<std::uint32_t>(other));
    const auto visit = [&](std::uint32_t node) {
        if (is_first(node)) list.push_back(node);
    };
    std::size_t begin = 0;
    for (std::size_t level = 0; level < depth; ++level)
        for (const std::size_t end = list.size(); begin < end; ++begin) {
            const std::uint32_t node = list[begin];
            visit_inputs(node, visit);
            const auto ways = ways_.find(node);
            if (ways == ways_.end()) continue;
            const auto& gates = ways->second;
            for (std::size_t w = gates.size() - std::min(gates.size(), last_ways); w < gates.size(); ++w)
                visit_inputs(gates[w], visit);
        }
    return list;
}

} // namespace discern::certificate
