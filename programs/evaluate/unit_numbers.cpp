#include "unit_numbers.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/pattern_words.hpp"
#include "programs/functions/integer_unit.hpp"

namespace discern::programs {

namespace {

std::uint64_t number_of(const Graph& graph, NodeId id) {
    if (graph.kind(id) != Kind::constant) throw Error("an operand depends on what nothing has written");
    return graph.bits(id);
}

void multiply_integers(Graph& graph, const IntegerUnit& unit, const UnitNumbers::Operands& operands,
                       std::span<NodeId> d) {
    std::vector<std::uint64_t> a, b;
    for (const NodeId id : operands.a) a.push_back(number_of(graph, id));
    for (const NodeId id : operands.b) b.push_back(number_of(graph, id));
    const std::size_t columns = b.size() / unit.k;
    for (std::size_t i = 0; i < d.size(); ++i) {
        const auto c = static_cast<std::uint32_t>(number_of(graph, operands.c[i]));
        d[i] = graph.constant(unit(std::span(a).subspan(i / columns * unit.k, unit.k),
                                   std::span(b).subspan(i % columns * unit.k, unit.k), c),
                              4);
    }
}

} // namespace

void UnitNumbers::multiply(Graph& graph, OpId op, const Operands& operands, unsigned size, std::span<NodeId> d) {
    const std::string& name = graph.operation(op).name;
    if (const auto integers = integer_unit(name)) return multiply_integers(graph, *integers, operands, d);
    auto& known = units_[name];
    if (!known) known = std::make_unique<const Gemm>(resolve_unit(name));
    const Unit& unit = known->unit();
    const auto k = static_cast<std::size_t>(unit.K), scales = static_cast<std::size_t>(unit.scales()),
               columns = operands.b.size() / k;
    const FormatId scale = unit.scale ? unit.scale->format : unit.a;
    const auto words = [&](FormatId id, std::span<const NodeId> from, std::size_t count, const auto& row) {
        PatternWords made(id, d.size() * count);
        for (std::size_t i = 0; i < d.size() * count; ++i)
            made.set(i, number_of(graph, from[row(i / count) * count + i % count]) & format(id).mask());
        return made;
    };
    const auto of_row = [&](std::size_t i) { return i / columns; };
    const auto of_column = [&](std::size_t i) { return i % columns; };
    const PatternWords a = words(unit.a, operands.a, k, of_row), b = words(unit.b, operands.b, k, of_column),
                       c = words(unit.c.value_or(unit.d), operands.c, 1, [](std::size_t i) { return i; }),
                       sa = words(scale, operands.sa, scales, of_row),
                       sb = words(scale, operands.sb, scales, of_column);
    PatternWords results(unit.d, d.size());
    known->dots(d.size(), a.patterns(), b.patterns(), c.patterns(), results.out(), sa.patterns(), sb.patterns());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = graph.constant(results.at(i), size);
}

} // namespace discern::programs
