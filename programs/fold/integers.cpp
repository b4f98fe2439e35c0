#include "integers.hpp"

#include <algorithm>
#include <array>

namespace discern::programs {

namespace {

constexpr std::int64_t beyond = std::int64_t(1) << 31;
constexpr unsigned bits_of_step = 128;

std::int64_t largest(IntegerFormat format) {
    return std::int64_t(1) << (format.is_signed ? format.bits - 1 : format.bits);
}

} // namespace

std::int64_t IntegerSums::bound(NodeId id) const {
    if (graph_.kind(id) == Kind::constant)
        return std::abs(std::int64_t(static_cast<std::int32_t>(static_cast<std::uint32_t>(graph_.bits(id)))));
    const auto found = bounds_.find(id);
    return found == bounds_.end() ? beyond : found->second;
}

/// Behind those steps of the chain whose rows come before it.
NodeId IntegerSums::added(OpId op, NodeId a, NodeId b, NodeId c) {
    std::vector<std::array<NodeId, 2>> behind;
    while (graph_.kind(c) == Kind::unit && graph_[c].op == op) {
        const auto step = graph_.arguments(c);
        if (std::pair(step[0], step[1]) <= std::pair(a, b)) break;
        behind.push_back({step[0], step[1]});
        c = step[2];
    }
    behind.push_back({a, b});
    for (auto step = behind.rbegin(); step != behind.rend(); ++step) {
        const NodeId arguments[3] = {(*step)[0], (*step)[1], c};
        c = graph_.node(op, 4, arguments);
    }
    return c;
}

NodeId IntegerSums::term(IntegerUnit unit, std::string_view name, NodeId a, NodeId b, NodeId c) {
    const std::int64_t product = unit.product == IntegerUnit::Product::times ? largest(unit.a) * largest(unit.b) : 1;
    const std::int64_t most = std::min(beyond, bound(c) + static_cast<std::int64_t>(unit.k) * product);
    if (unit.saturates && most >= beyond) {
        const NodeId arguments[3] = {a, b, c};
        return graph_.node(graph_.operation(name, Kind::unit), 4, arguments);
    }
    // The name without .satfinite, and of as many products as a step has.
    const std::size_t step = bits_of_step / unit.a.bits;
    std::string_view types = name.substr(name.find(".s32."));
    if (unit.saturates) types.remove_suffix(std::string_view(".satfinite").size());
    const OpId op = graph_.operation("integers.k" + std::to_string(step) + std::string(types), Kind::unit),
               row = graph_.operation("row", Kind::row);
    const std::vector<NodeId> of_a(graph_.arguments(a).begin(), graph_.arguments(a).end()),
        of_b(graph_.arguments(b).begin(), graph_.arguments(b).end());
    for (std::size_t k = 0; k < unit.k; k += step) {
        const NodeId part_a = graph_.node(row, 0, std::span(of_a).subspan(k, step)),
                     part_b = graph_.node(row, 0, std::span(of_b).subspan(k, step));
        c = added(op, part_a, part_b, c);
    }
    bounds_[c] = most;
    return c;
}

} // namespace discern::programs
