// See circuit.hpp.
#include "circuit.hpp"

#include "certificate/plain.hpp"

#include "models/error.hpp"

namespace discern::rtl {

namespace {

/// The plain circuit gate by gate, as terms of one bit.
Term plain_term(Terms& t, const Unit& unit, const InputTerms& inputs) {
    using certificate::Gate, certificate::is_opposite, certificate::node_of;
    certificate::Netlist netlist(certificate::input_bits(unit), true);
    const certificate::Bits d = certificate::plain_circuit(netlist, unit, certificate::operands(netlist, unit));
    std::vector<Term> values = {t.truth(false)};
    const auto add_row = [&](const std::vector<Term>& row) {
        for (const Term pattern : row)
            for (int i = 0; i < t.width(pattern); ++i) values.push_back(t.bit(pattern, i));
    };
    add_row(inputs.a);
    add_row(inputs.b);
    add_row(inputs.sa);
    add_row(inputs.sb);
    if (inputs.c) add_row({*inputs.c});
    const auto value = [&](certificate::Literal x) {
        return is_opposite(x) ? t.bvnot(values[node_of(x)]) : values[node_of(x)];
    };
    const auto& nodes = netlist.nodes();
    for (std::size_t i = netlist.inputs() + 1; i < nodes.size(); ++i) {
        const Term x = value(nodes[i].in[0]), y = value(nodes[i].in[1]), z = value(nodes[i].in[2]);
        switch (nodes[i].gate) {
        case Gate::both: values.push_back(t.bvand(x, y)); break;
        case Gate::different: values.push_back(t.bvxor(x, y)); break;
        case Gate::choice: values.push_back(t.ite(x, y, z)); break;
        case Gate::majority: values.push_back(t.bvor(t.bvand(x, y), t.bvand(z, t.bvor(x, y)))); break;
        case Gate::input: break;
        }
    }
    Term word = value(d.front());
    for (std::size_t i = 1; i < d.size(); ++i) word = t.concat(value(d[i]), word);
    return word;
}

} // namespace

DesignCircuit::DesignCircuit(const DesignQuestion& q, Beside what)
    : inputs(input_variables(terms, q.unit)), d1(encode(terms, q.unit, inputs)),
      beside(what == Beside::plain ? std::optional(plain_term(terms, q.unit, inputs)) : std::nullopt),
      design(unroll(terms, q.design, q.connection, inputs)), assume(allowed(terms, q.limits, q.unit, inputs)),
      differ(terms.bvand(assume, results_differ(terms, q.unit, q.unit, d1, design.d))) {}

std::vector<Term> DesignCircuit::variables() const {
    std::vector<Term> all;
    for (const auto* row : {&inputs.a, &inputs.b, &inputs.sa, &inputs.sb})
        all.insert(all.end(), row->begin(), row->end());
    if (inputs.c) all.push_back(*inputs.c);
    for (const DesignTerm::Open& open : design.open) all.push_back(open.variable);
    return all;
}

DesignEvaluator::DesignEvaluator(const DesignCircuit& circuit)
    : circuit_(circuit), evaluator_(circuit.terms, {circuit.design.d}) {}

std::uint64_t DesignEvaluator::run() {
    evaluator_.run();
    return evaluator_.low(circuit_.design.d);
}

std::uint64_t DesignEvaluator::operator()(const Inputs& inputs, Random& random) {
    set_inputs(evaluator_, circuit_.inputs, inputs);
    for (const DesignTerm::Open& open : circuit_.design.open) evaluator_.set(open.variable, random.bits());
    return run();
}

std::string DesignEvaluator::depends_on(const Inputs& inputs, Random& random) {
    for (int tries = 0; tries < 16; ++tries) {
        const std::uint64_t before = (*this)(inputs, random);
        for (const DesignTerm::Open& open : circuit_.design.open) { // from one filling to another, one by one
            evaluator_.set(open.variable, tries == 0 ? 0 : tries == 1 ? ~0ull : random.bits());
            if (run() != before) return open.why;
        }
    }
    return "";
}

} // namespace discern::rtl
