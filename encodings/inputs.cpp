// The inputs of a unit as terms: variables, constants, and the values of the variables for an evaluation.
#include "encode.hpp"

namespace discern {

std::vector<Term> InputTerms::all() const {
    std::vector<Term> terms;
    for (const auto* row : {&a, &b, &sa, &sb}) terms.insert(terms.end(), row->begin(), row->end());
    if (c) terms.push_back(*c);
    return terms;
}

InputTerms input_variables(Terms& t, const Unit& unit, const std::string& suffix) {
    const auto row = [&](const std::string& name, int count, FormatId id) {
        std::vector<Term> terms;
        for (int i = 0; i < count; ++i)
            terms.push_back(t.variable(name + std::to_string(i) + suffix, format(id).width));
        return terms;
    };
    InputTerms inputs;
    inputs.a = row("a", unit.K, unit.a);
    inputs.b = row("b", unit.K, unit.b);
    if (unit.scale) {
        inputs.sa = row("sa", unit.scales(), unit.scale->format);
        inputs.sb = row("sb", unit.scales(), unit.scale->format);
    }
    if (unit.c) inputs.c = t.variable("c" + suffix, format(*unit.c).width);
    return inputs;
}

void set_inputs(TermEvaluator& evaluator, const InputTerms& terms, const Inputs& inputs, std::size_t lane) {
    for_each_input(terms, inputs, [&](Term x, std::uint64_t pattern) { evaluator.set(x, pattern, lane); });
}

InputTerms constant_inputs(Terms& t, const InputTerms& variables, const Inputs& inputs) {
    InputTerms all = variables;
    for_each_input(all, inputs, [&](Term& x, std::uint64_t pattern) { x = t.constant(t.width(x), pattern); });
    return all;
}

} // namespace discern
