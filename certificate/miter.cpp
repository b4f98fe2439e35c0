#include "miter.hpp"

#include "models/error.hpp"
#include "models/format.hpp"
#include "models/shape.hpp"

namespace discern::certificate {

Literal same_result(Netlist& n, const Format& f, const Result& one, const Result& other) {
    Literal same = yes;
    for (std::size_t i = 0; i < one.d.size(); ++i) same = n.make_and(same, invert(n.make_xor(one.d[i], other.d[i])));
    if (!one.any_nan && !other.any_nan) return same;
    GateDomain gates(n);
    const Literal nan_other = circuit::is_nan(gates, f, other.d);
    const Literal nan_one = circuit::is_nan(gates, f, one.d);
    return n.make_or(same, n.make_and(nan_one, nan_other));
}

namespace {

/// The index of the result with which one is compared. It is the first one; but if that has nan=any and the other does
/// not, it is the first one without nan=any. So all without nan=any have the same bits, and each equals those with
/// nan=any up to NaN.
std::size_t compared_with(const std::vector<Result>& results, std::size_t i) {
    if (results[i].any_nan) return 0;
    std::size_t exact = 0;
    while (exact < i && results[exact].any_nan) ++exact;
    return exact == i ? 0 : exact;
}

/// Appends a circuit over the first inputs, and over some of its own. @return its outputs
/// @param operands  bits of the operands
/// @param open      the first input of its own
Bits append(Netlist& n, const AndCircuit& circuit, std::size_t operands, std::size_t open) {
    Bits own = {no};
    for (std::size_t i = 0; i < circuit.inputs; ++i) own.push_back(n.input(i < operands ? i : open + i - operands));
    const auto value = [&](Literal x) { return invert_if(is_inverted(x), own[node_of(x)]); };
    for (const auto& [x, y] : circuit.gates) own.push_back(n.make_and(value(x), value(y)));
    Bits outputs;
    for (const Literal x : circuit.outputs) outputs.push_back(value(x));
    return outputs;
}

} // namespace

Miter make_miter(const std::vector<Unit>& units, const Limits& limits, bool shared) {
    return make_miter(units.front(), units, {}, limits, shared);
}

Miter make_miter(const Unit& shape, const std::vector<Unit>& units, const std::vector<AndCircuit>& designs,
                 const Limits& limits, bool shared) {
    const std::size_t bits = input_bits(shape);
    std::size_t open = bits;
    for (const AndCircuit& design : designs) open += design.inputs - bits;
    Netlist n(open, shared);
    const Operands in = operands(n, shape);
    require_inputs(limits, shape);

    std::vector<Result> results;
    for (const Unit& unit : units) {
        if (const std::string what = difference(shape_of(shape), shape_of(unit)); !what.empty())
            throw Error("the units have different " + what + "; only units of one shape can be compared");
        results.push_back({reference_circuit(n, unit, in), is_any_nan(unit)});
    }
    open = bits;
    for (const AndCircuit& design : designs) {
        results.push_back({append(n, design, bits, open), false});
        open += design.inputs - bits;
    }
    Bits roots; // the results, which of them are those they are compared with, and last two more
    for (const Result& result : results) roots.insert(roots.end(), result.d.begin(), result.d.end());
    const Literal good = allowed(n, limits, shape, in);
    const int width = format(shape.d).width, count = static_cast<int>(results.size());
    Literal all_same = yes;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Result& other = results[compared_with(results, i)];
        roots.push_back(i == 0 ? yes : same_result(n, format(shape.d), other, results[i]));
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

Condition condition_of(const AndCircuit& circuit, std::size_t output, std::size_t inputs) {
    Netlist n(inputs);
    Bits root = {append(n, circuit, circuit.inputs, circuit.inputs).at(output)};
    Netlist needed = without_unused(n, root);
    return {std::move(needed), root.front()};
}

Miter restricted(const Miter& miter, const Condition& condition) {
    Miter result = miter;
    Bits names = {no};
    for (std::size_t i = 0; i < condition.circuit.inputs(); ++i) names.push_back(result.netlist.input(i));
    const auto named = [&](Literal x) { return invert_if(is_inverted(x), names[node_of(x)]); };
    const auto& nodes = condition.circuit.nodes();
    for (std::size_t i = names.size(); i < nodes.size(); ++i)
        names.push_back(
            result.netlist.make(nodes[i].gate, named(nodes[i].in[0]), named(nodes[i].in[1]), named(nodes[i].in[2])));
    result.different = result.netlist.make_and(miter.different, named(condition.holds));
    return result;
}

Miter make_cover(const Unit& shape, const AndCircuit& cases, const Limits& limits) {
    Netlist n(input_bits(shape));
    Bits roots = {allowed(n, limits, shape, operands(n, shape))};
    Literal different = roots.front();
    for (const Literal holds : append(n, cases, cases.inputs, cases.inputs))
        different = n.make_and(different, invert(holds));
    roots.push_back(different);
    Miter miter{without_unused(n, roots), {}, {}, no, no};
    miter.allowed = roots.front();
    miter.different = roots.back();
    return miter;
}

void add_gate_clauses(Formula& formula, Gate gate, std::int32_t output, std::span<const std::int32_t> in) {
    gate_clauses(gate, output, in, [&](std::initializer_list<std::int32_t> clause) {
        formula.add({clause.begin(), clause.size()});
    });
}

namespace {

/// The clauses of a node. @param named  what a literal is in the formula
template <typename Named>
void add_gate(Formula& formula, const Netlist::Node& node, std::size_t variable, const Named& named) {
    std::array<std::int32_t, 3> in{};
    const std::size_t count = inputs_of(node.gate);
    for (std::size_t k = 0; k < count; ++k) in[k] = named(node.in[k]);
    add_gate_clauses(formula, node.gate, static_cast<std::int32_t>(variable), std::span(in.data(), count));
}

/// That a literal is true: the empty clause, or none, if it is a constant.
template <typename Named>
void add_true(Formula& formula, Literal x, const Named& named) {
    if (x == no) formula.add({});
    if (x <= yes) return;
    const std::int32_t literal = named(x);
    formula.add(std::span(&literal, 1));
}

} // namespace

Formula to_formula(const Miter& miter) {
    Formula formula;
    const auto& nodes = miter.netlist.nodes();
    formula.variables = nodes.size() - 1;
    for (std::size_t i = miter.netlist.inputs() + 1; i < nodes.size(); ++i) add_gate(formula, nodes[i], i, in_formula);
    add_true(formula, miter.different, in_formula);
    return formula;
}

Formula to_formula(const Miter& miter, const Condition& condition) {
    Formula formula = to_formula(miter);
    const auto& nodes = condition.circuit.nodes();
    const std::size_t inputs = condition.circuit.inputs(), before = miter.netlist.nodes().size() - 1 - inputs;
    const auto named = [&](Literal x) { // the inputs are the miter's, and the gates come after its own
        return in_formula(node_of(x) <= inputs ? x : static_cast<Literal>(x + 2 * before));
    };
    for (std::size_t i = inputs + 1; i < nodes.size(); ++i) add_gate(formula, nodes[i], i + before, named);
    formula.variables += nodes.size() - 1 - inputs;
    add_true(formula, condition.holds, named);
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
