// Encodes the unit and unrolls the design over one set of variables; wires of proved cut points replace nets.
#include "circuit.hpp"

#include "encodings/datapath/datapath.hpp"
#include "encodings/flags.hpp"

#include "certificate/reference.hpp"

#include "solver/backend/backend.hpp"

#include "models/error.hpp"

#include <span>
#include <stdexcept>
#include <unordered_map>

namespace discern::rtl {

/// Gate by gate, as terms of one bit.
Term reference_term(Terms& t, const Unit& unit, const InputTerms& inputs) {
    using certificate::Gate, certificate::is_inverted, certificate::node_of;
    certificate::Netlist netlist(certificate::input_bits(unit), true);
    const certificate::Bits d = certificate::reference_circuit(netlist, unit, certificate::operands(netlist, unit));
    std::vector<Term> values = {t.truth(false)};
    for (const Term pattern : inputs.all())
        for (int i = 0; i < t.width(pattern); ++i) values.push_back(t.bit(pattern, i));
    const auto value = [&](certificate::Literal x) {
        return is_inverted(x) ? t.bvnot(values[node_of(x)]) : values[node_of(x)];
    };
    const auto& nodes = netlist.nodes();
    for (std::size_t i = netlist.inputs() + 1; i < nodes.size(); ++i) {
        const Term x = value(nodes[i].in[0]), y = value(nodes[i].in[1]), z = value(nodes[i].in[2]);
        switch (nodes[i].gate) {
        case Gate::and_: values.push_back(t.bvand(x, y)); break;
        case Gate::xor_: values.push_back(t.bvxor(x, y)); break;
        case Gate::mux: values.push_back(t.ite(x, y, z)); break;
        case Gate::majority: values.push_back(t.ite(t.bvxor(x, y), z, x)); break;
        case Gate::input: break;
        }
    }
    Term word = value(d.front());
    for (std::size_t i = 1; i < d.size(); ++i) word = t.concat(value(d[i]), word);
    return word;
}

namespace {

std::vector<std::vector<Net>> nets_of(const std::vector<CutPoint>& cuts) {
    std::vector<std::vector<Net>> nets;
    for (const CutPoint& cut : cuts) nets.push_back(cut.bits);
    return nets;
}

constexpr double seconds_for_open = 3; ///< of a solver that is asked whether an open value counts

/// A term of another graph, in this one.
/// @param copies  of terms that have one
Term copied(Terms& to, const Terms& from, Term root, std::unordered_map<std::uint32_t, Term> copies = {}) {
    for (const Term x : from.cone(std::span(&root, 1))) {
        if (copies.contains(x.id)) continue;
        std::vector<Term> args;
        for (const Term arg : from.args(x)) args.push_back(copies.at(arg.id));
        copies[x.id] = from.op(x) == Op::constant   ? to.constant(from.value(x))
                       : from.op(x) == Op::variable ? to.variable(from.name(x), from.width(x))
                                                    : to.rebuild(from.op(x), from.width(x), args, from.low(x));
    }
    return copies.at(root.id);
}

Term wanted_term(Terms& t, const DesignQuestion& q, const InputTerms& inputs, Reading reading) {
    if (q.flags) return encode_flags(t, q.flags->unit, inputs, q.flags->tininess);
    return reading == Reading::reference ? reference_term(t, q.unit, inputs) : encode(t, q.unit, inputs);
}

Term wire_term(Terms& t, const Datapath& datapath, const std::string& wire) {
    for (const Datapath::Line& line : datapath.lines)
        if (line.name == wire) return copied(t, datapath.terms, line.term);
    throw std::logic_error("a cut point at a wire that is not there");
}

} // namespace

DesignCircuit::DesignCircuit(const DesignQuestion& q, Reading reading, const std::vector<CutPoint>& cuts,
                             const DesignQuestion* beside)
    : terms(reading == Reading::reference ? Terms::Order::as_written : Terms::Order::canonical),
      inputs(input_variables(terms, q.unit)),
      first(beside != nullptr ? unroll(terms, beside->design, beside->connection, inputs, beside->reached, {}, "first")
                              : DesignTerm{wanted_term(terms, q, inputs, reading), {}, {}}),
      design(unroll(terms, q.design, q.connection, inputs, q.reached, nets_of(cuts))),
      assume(allowed(terms, q.limits, q.unit, inputs)) {
    if (!cuts.empty()) cut(q.unit, cuts);
    differ = terms.bvand(assume, results_differ(terms, q.unit, q.unit, first.d, design.d));
}

void DesignCircuit::cut(const Unit& unit, const std::vector<CutPoint>& cuts) {
    const Datapath datapath(unit);
    for (std::size_t i = 0; i < cuts.size(); ++i) {
        wires.push_back(wire_term(terms, datapath, cuts[i].wire));
        if (!cuts[i].proved) continue;
        const Term net = design.watched[i][static_cast<std::size_t>(*cuts[i].cycle)];
        if (terms.is_constant(net) || net == wires.back()) continue;
        const std::unordered_map<std::uint32_t, Term> with = {{net.id, wires.back()}};
        design.d = terms.substitute(design.d, with);
        for (std::vector<Term>& cycles : design.watched)
            for (Term& x : cycles) x = terms.substitute(x, with);
    }
}

std::vector<Term> DesignCircuit::variables() const {
    std::vector<Term> all = inputs.all();
    for (const Open& open : open()) all.push_back(open.variable);
    return all;
}

std::vector<Open> DesignCircuit::open() const {
    std::vector<Open> all = first.open;
    all.insert(all.end(), design.open.begin(), design.open.end());
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
    for (const Open& open : circuit_.design.open) evaluator_.set(open.variable, random.bits());
    return run();
}

std::vector<std::uint64_t> DesignEvaluator::operator()(std::span<const Inputs> many, Random& random) {
    constexpr std::size_t lanes = TermEvaluator::most_lanes;
    if (!of_many_) of_many_.emplace(circuit_.terms, std::vector{circuit_.design.d}, lanes);
    std::vector<std::uint64_t> results;
    while (results.size() < many.size()) {
        const std::size_t begin = results.size(), count = std::min(lanes, many.size() - begin);
        for (std::size_t lane = 0; lane < count; ++lane) {
            set_inputs(*of_many_, circuit_.inputs, many[begin + lane], lane);
            for (const Open& open : circuit_.design.open) of_many_->set(open.variable, random.bits(), lane);
        }
        of_many_->run();
        for (std::size_t lane = 0; lane < count; ++lane) results.push_back(of_many_->low(circuit_.design.d, lane));
    }
    return results;
}

const Open* DesignEvaluator::way(const OpenValues& from, const OpenValues& to) {
    const auto set = [&](const Open& open, const OpenValues& values) {
        const auto value = values.find(circuit_.terms.name(open.variable));
        evaluator_.set(open.variable, value == values.end() ? 0 : value->second);
    };
    for (const Open& open : circuit_.design.open) set(open, from);
    const std::uint64_t before = run();
    for (const Open& open : circuit_.design.open) { // one by one
        set(open, to);
        if (run() != before) return &open;
    }
    return nullptr;
}

const Open* DesignEvaluator::depends_on(const Inputs& inputs, Random& random, const OpenValues& found) {
    if (circuit_.design.open.empty()) return nullptr;
    set_inputs(evaluator_, circuit_.inputs, inputs);
    OpenValues last = found;
    for (int tries = 0; tries < 6; ++tries) {
        OpenValues next;
        for (const Open& open : circuit_.design.open)
            next[circuit_.terms.name(open.variable)] = tries == 0 ? 0 : tries == 1 ? ~0ull : random.bits();
        if (const Open* const open = way(last, next)) return open;
        last = std::move(next);
    }
    // Random vectors have met none; a solver decides whether there is one.
    Terms t;
    const auto values = [&](const std::string& prefix) {
        std::unordered_map<std::uint32_t, Term> of;
        for_each_input(circuit_.inputs, inputs,
                       [&](Term x, std::uint64_t pattern) { of[x.id] = t.constant(circuit_.terms.width(x), pattern); });
        for (const Open& open : circuit_.design.open)
            of[open.variable.id] =
                t.variable(prefix + circuit_.terms.name(open.variable), circuit_.terms.width(open.variable));
        return of;
    };
    const Term one = copied(t, circuit_.terms, circuit_.design.d, values("1"));
    if (t.is_constant(one) || backends().empty()) return nullptr;
    const Term other = copied(t, circuit_.terms, circuit_.design.d, values("2"));
    const auto backend = backends().front().make(t, 0);
    backend->require(t.bvnot(t.eq(one, other)));
    if (backend->check(Limit::after(seconds_for_open)) != Outcome::sat) return nullptr;
    OpenValues from, to;
    for (const Open& open : circuit_.design.open) {
        const std::string& name = circuit_.terms.name(open.variable);
        const int width = circuit_.terms.width(open.variable);
        from[name] = backend->value(t.variable("1" + name, width)).low();
        to[name] = backend->value(t.variable("2" + name, width)).low();
    }
    return way(from, to);
}

} // namespace discern::rtl
