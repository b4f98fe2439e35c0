#include "parts.hpp"

#include <algorithm>

namespace discern::certificate {

std::size_t end_of_first(const Miter& miter) {
    std::size_t end = miter.netlist.inputs() + 1;
    if (miter.results.empty()) return end; // a cover
    for (const Literal bit : miter.results.front()) end = std::max<std::size_t>(end, node_of(bit) + 1);
    return end;
}

std::vector<bool> gates_of_first(const Miter& miter, std::size_t nodes) {
    std::vector<bool> list(nodes);
    std::fill(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(end_of_first(miter)), true);
    return list;
}

std::vector<bool> gates_of(const Bits& roots, const Netlist& netlist, std::size_t nodes) {
    std::vector<bool> list(nodes);
    for (const Literal bit : roots) list[node_of(bit)] = true;
    const auto& gates = netlist.nodes();
    for (std::size_t i = nodes; i-- > 0;)
        for (std::size_t k = 0; list[i] && k < inputs_of(gates[i].gate); ++k) list[node_of(gates[i].in[k])] = true;
    return list;
}

std::vector<bool> marks_without_unused(const std::vector<bool>& marks, const Bits& roots, const Netlist& netlist) {
    const std::vector<bool> needed = gates_of(roots, netlist, marks.size());
    std::vector<bool> list;
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (i <= netlist.inputs() || needed[i]) list.push_back(marks[i]);
    return list;
}

} // namespace discern::certificate
