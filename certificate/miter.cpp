#include "miter.hpp"

#include "models/error.hpp"
#include "models/format.hpp"
#include "models/shape.hpp"

namespace discern::certificate {

namespace {

/// Whether two units give the same result: the same bits, or, where one of them has nan=any, two NaN.
Literal same_result(Netlist& n, const Unit& one, const Unit& other, const Bits& d_one, const Bits& d_other) {
    Literal same = yes;
    for (std::size_t i = 0; i < d_one.size(); ++i) same = n.make_and(same, invert(n.make_xor(d_one[i], d_other[i])));
    if (!is_any_nan(one) && !is_any_nan(other)) return same;
    const Format& f = format(other.d);
    GateDomain gates(n);
    const Literal nan_other = circuit::is_nan(gates, f, d_other);
    const Literal nan_one = circuit::is_nan(gates, f, d_one);
    return n.make_or(same, n.make_and(nan_one, nan_other));
}

/// The index of the unit with which a unit is compared. It is the first one; but if that has nan=any and the unit does
/// not, it is the first one without nan=any. So all units without nan=any have the same bits, and each equals the units
/// with nan=any up to NaN.
std::size_t compared_with(const std::vector<Unit>& units, std::size_t i) {
    if (is_any_nan(units[i])) return 0;
    std::size_t exact = 0;
    while (exact < i && is_any_nan(units[exact])) ++exact;
    return exact == i ? 0 : exact;
}

} // namespace

Miter make_miter(const std::vector<Unit>& units, const Limits& limits, bool shared) {
    const Unit& first = units.front();
    Netlist n(input_bits(first), shared);
    const Operands in = operands(n, first);
    require_inputs(limits, first);

    Bits roots; // the results, which of them are those they are compared with, and last two more
    for (const Unit& unit : units) {
        if (const std::string what = difference(shape_of(first), shape_of(unit)); !what.empty())
            throw Error("the units have different " + what + "; only units of one shape can be compared");
        const Bits d = reference_circuit(n, unit, in);
        roots.insert(roots.end(), d.begin(), d.end());
    }
    const Literal good = allowed(n, limits, first, in);
    const int width = format(first.d).width, count = static_cast<int>(units.size());
    Literal all_same = yes;
    for (int i = 0; i < count; ++i) {
        const std::size_t own = static_cast<std::size_t>(i), other = compared_with(units, own);
        const Bits d = GateDomain::slice(roots, i * width, width),
                   d_other = GateDomain::slice(roots, static_cast<int>(other) * width, width);
        roots.push_back(i == 0 ? yes : same_result(n, units[other], units[own], d_other, d));
        all_same = n.make_and(all_same, roots.back());
    }
    roots.push_back(good);
    roots.push_back(n.make_and(good, invert(all_same)));
    Miter miter{without_unused(n, roots), {}, {}, no, no};
    for (int i = 0; i < count; ++i) miter.results.push_back(GateDomain::slice(roots, i * width, width));
    miter.same = GateDomain::slice(roots, count * width, count);
    miter.allowed = roots[roots.size() - 2];
    miter.different = roots.back();
    return miter;
}

void add_gate_clauses(Formula& formula, Gate gate, std::int32_t output, std::span<const std::int32_t> in) {
    gate_clauses(gate, output, in, [&](std::initializer_list<std::int32_t> clause) {
        formula.add({clause.begin(), clause.size()});
    });
}

Formula to_formula(const Miter& miter) {
    Formula formula;
    const auto& nodes = miter.netlist.nodes();
    formula.variables = nodes.size() - 1;
    for (std::size_t i = miter.netlist.inputs() + 1; i < nodes.size(); ++i) {
        std::array<std::int32_t, 3> in{};
        const std::size_t count = inputs_of(nodes[i].gate);
        for (std::size_t k = 0; k < count; ++k) in[k] = in_formula(nodes[i].in[k]);
        add_gate_clauses(formula, nodes[i].gate, static_cast<std::int32_t>(i), std::span(in.data(), count));
    }
    const std::int32_t different = miter.different <= yes ? 0 : in_formula(miter.different);
    if (miter.different == no) formula.add({});
    if (different != 0) formula.add(std::span(&different, 1));
    return formula;
}

std::string to_dimacs(const Formula& formula) {
    std::string text = "p cnf " + std::to_string(formula.variables) + ' ' + std::to_string(formula.size()) + '\n';
    for (std::size_t i = 0; i < formula.size(); ++i) {
        for (const std::int32_t literal : formula[i]) text += std::to_string(literal) + ' ';
        text += "0\n";
    }
    return text;
}

} // namespace discern::certificate
