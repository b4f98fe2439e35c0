// Encodes both spaces over shared inputs; and writes the report if a vector does not replay.
#include "circuit.hpp"

#include "encodings/graph/smtlib.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"

#include <fstream>
#include <stdexcept>

namespace discern {

Circuit::Circuit(const SpaceQuestion& q, Terms::Order order)
    : terms(order), inputs(input_variables(terms, q.first.frame())),
      first(terms, q.first.structure, q.first.boxes, "p"), second(terms, q.second.structure, q.second.boxes, "q"),
      d1(encode(terms, q.first.structure, first, inputs)), d2(encode(terms, q.second.structure, second, inputs)) {
    std::vector<Term> conditions = {allowed(terms, q.limits, q.first.frame(), inputs), first.is_member(),
                                    second.is_member()};
    for (const Vector& v : q.observed) conditions.push_back(explains(q.second.structure, v));
    assume = terms.all_of(conditions);
    results = results_differ(terms, q.first.frame(), q.second.frame(), d1, d2);
    differ = terms.bvand(results, assume);
}

// Inputs are constants here, so this is a condition on the parameters alone.
Term Circuit::explains(const parametric::Structure& structure, const Vector& v) {
    const Term d = encode(terms, structure, second, constant_inputs(terms, inputs, v.inputs()));
    const Format& f = format(structure.frame.d);
    const Term seen = terms.constant(f.width, v.d.at(0));
    return terms.bvor(terms.eq(d, seen), terms.bvand(is_nan(terms, f, d), is_nan(terms, f, seen)));
}

Circuit::Circuit(const Question& q, Terms::Order order) : Circuit(as_spaces(q), order) {}

std::vector<Term> Circuit::variables() const {
    std::vector<Term> all = inputs.all();
    for (const ParameterTerms* parameters : {&first, &second})
        for (const auto& variable : parameters->variables())
            if (variable) all.push_back(*variable);
    return all;
}

Replay require_replay(const Question& question, const Vector& proposed, const std::string& by,
                      const std::filesystem::path& directory) {
    const Pair pair(question);
    const Replay r = replay(pair, proposed.inputs());
    if (r.models_agree && r.different) return r;
    const Circuit circuit(question);
    TermEvaluator evaluator(circuit.terms, {circuit.d1, circuit.d2});
    set_inputs(evaluator, circuit.inputs, proposed.inputs());
    evaluator.run();
    const Format& d = format(pair.first().d);
    const auto row = [&](const std::string& what, std::uint64_t d1, std::uint64_t d2) {
        return what + ": " + to_hex(d, d1) + " " + to_hex(d, d2) + "\n";
    };
    const std::string comment = "A vector that was found by '" + by + "' does not hold when it is replayed.\n" +
                                "first:  " + to_string(pair.first()) + "\nsecond: " + to_string(pair.second()) +
                                "\nvector: " + to_json(shape_of(pair.first()), proposed) + "\n" +
                                row("integer models", r.d1, r.d2) + row("exact oracle", r.exact_d1, r.exact_d2) +
                                row("terms", evaluator.low(circuit.d1), evaluator.low(circuit.d2));
    const std::size_t hash = std::hash<std::string>()(comment);
    const std::filesystem::path file = directory / ("discern-report-" + std::to_string(hash) + ".smt2");
    std::ofstream out(file);
    const Term conditions[] = {circuit.differ};
    write_smtlib(out, circuit.terms, conditions, comment, true);
    throw std::logic_error("a vector found by '" + by + "' does not hold when it is replayed; see the report " +
                           file.string());
}

} // namespace discern
