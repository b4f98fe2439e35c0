#include "cases.hpp"

#include "certificate/number.hpp"
#include "certificate/plain.hpp"
#include "models/format.hpp"

#include <algorithm>
#include <set>

namespace discern::certificate {

namespace {

/// The block's sum, if it is one of leaves alone.
const Fuse* sum_of_leaves(const Unit& unit) {
    const auto* sum = std::get_if<Fuse>(&std::get<Round>(unit.tree.kind).get().kind);
    const bool plain = unit.blocks() == 1 && unit.place == AccumulatorPlace::chained && sum != nullptr &&
                       std::all_of(sum->children.begin(), sum->children.end(),
                                   [](const Child& child) { return is_leaf(child.get()); });
    return plain ? sum : nullptr;
}

/// The leaves of a child as numbers.
std::vector<Number> numbers(Netlist& n, const Unit& unit, const Operands& in, const Node& leaf) {
    std::vector<Number> list;
    const auto each = [](const Selection& which, int count, auto visit) {
        for (int i = which.first; i < count; i += which.step) {
            visit(i);
            if (which.step == 0) break;
        }
    };
    if (const auto* p = std::get_if<Product>(&leaf.kind))
        each(p->which, unit.L, [&](int l) { list.push_back(product(n, unit, in, *p, unit.element(0, l))); });
    if (const auto* g = std::get_if<Group>(&leaf.kind))
        each(g->which, unit.L / g->size,
             [&](int i) { list.push_back(group(n, unit, in, *g, unit.element(0, i * g->size))); });
    if (const auto* c = std::get_if<Accumulator>(&leaf.kind))
        list.push_back(unit.c ? accumulator(n, format(*unit.c), in.c.front(), *c)
                              : accumulator(n, format(unit.d), constant(0, format(unit.d).width), *c));
    return list;
}

/// That all terms that are not zero have exponents below a bound.
Case below(const Unit& unit, const Fuse& sum, int bound) {
    Netlist n(input_bits(unit), true);
    const Operands in = operands(n, unit);
    std::vector<Integer> exponents;
    Bits take_part;
    for (const Child& child : sum.children)
        for (const Number& x : numbers(n, unit, in, child.get())) {
            const bool always = child.zero.kind == ZeroExponent::Kind::own;
            exponents.push_back(x.exponent);
            take_part.push_back(n.either(any(n, x.magnitude), always ? x.has_exponent : no));
        }
    const Integer E = largest(n, exponents, take_part);
    Bits root = {less(n, E, integer(bound))};
    Netlist circuit = without_unused(n, root);
    return {std::move(circuit), root.front()};
}

/// The exponents that a sum has whatever its terms are: its floor, and those of terms that are zero.
std::set<int> constants(const Fuse& sum) {
    std::set<int> exponents;
    if (sum.floor) exponents.insert(*sum.floor);
    for (const Child& child : sum.children)
        if (child.zero.kind == ZeroExponent::Kind::constant) exponents.insert(child.zero.value);
    return exponents;
}

} // namespace

std::vector<Case> cases(const Unit& one, const Unit& other) {
    const Fuse *first = sum_of_leaves(one), *second = sum_of_leaves(other);
    if (first == nullptr || second == nullptr) return {};
    const std::set<int> a = constants(*first), b = constants(*second);
    if (a == b) return {};
    return {below(one, *first, std::max(a.empty() ? *b.rbegin() : *a.rbegin(), b.empty() ? *a.rbegin() : *b.rbegin()))};
}

} // namespace discern::certificate
