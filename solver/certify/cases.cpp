#include "cases.hpp"

#include "certificate/reference.hpp"
#include "models/format.hpp"
#include "models/unit/tree_shape.hpp"

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
std::vector<Number> numbers(GateDomain& d, const Unit& unit, const Operands& in, const Node& leaf) {
    std::vector<Number> list;
    if (const auto* p = std::get_if<Product>(&leaf.kind))
        for_each(p->which, unit.L,
                 [&](int l) { list.push_back(circuit::product(d, unit, in, *p, unit.element(0, l)).result); });
    if (const auto* g = std::get_if<Group>(&leaf.kind))
        for_each(g->which, unit.L / g->size,
                 [&](int i) { list.push_back(circuit::group(d, unit, in, *g, unit.element(0, i * g->size)).result); });
    if (const auto* c = std::get_if<Accumulator>(&leaf.kind))
        list.push_back(circuit::accumulator(d, format(unit.c.value_or(unit.d)),
                                            unit.c ? in.c.front() : GateDomain::constant(0, format(unit.d).width), *c)
                           .result);
    return list;
}

/// The condition that the exponents of all nonzero terms are below a bound.
Case below(const Unit& unit, const Fuse& sum, int bound) {
    Netlist n(input_bits(unit), true);
    const Operands in = operands(n, unit);
    GateDomain d(n);
    std::vector<Integer> exponents;
    Bits take_part;
    for (const Child& child : sum.children)
        for (const Number& x : numbers(d, unit, in, child.get())) {
            const bool always = child.zero.kind == ZeroExponent::Kind::own;
            exponents.push_back(circuit::offset_by(x.exponent, -child.less));
            take_part.push_back(d.bit_or(d.any(x.magnitude), always ? x.has_exponent : no));
        }
    const Integer E = circuit::largest(d, exponents, take_part).value;
    Bits root = {circuit::less(d, E, circuit::integer(d, bound))};
    Netlist circuit = without_unused(n, root);
    return {std::move(circuit), root.front()};
}

/// The exponents that do not depend on the values of terms: the floor, and the constant exponents of zeros.
std::set<int> constants(const Fuse& sum) {
    std::set<int> exponents;
    if (sum.floor) exponents.insert(*sum.floor);
    for (const Child& child : sum.children)
        if (child.zero.kind == ZeroExponent::Kind::constant) exponents.insert(child.zero.value - child.less);
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
