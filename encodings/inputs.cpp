// The inputs of a unit as terms: variables, constants, and the values of the variables for an evaluation.
#include "encode.hpp"

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace discern {

namespace {

std::vector<Term> row(Terms& t, const std::string& name, int count, FormatId id) {
    std::vector<Term> terms;
    for (int i = 0; i < count; ++i) terms.push_back(t.variable(name + std::to_string(i), format(id).width));
    return terms;
}

void set_row(TermEvaluator& evaluator, std::span<const Term> terms, std::span<const std::uint64_t> values) {
    if (terms.size() != values.size()) throw std::logic_error("set_inputs: wrong number of patterns");
    for (std::size_t i = 0; i < terms.size(); ++i) evaluator.set(terms[i], values[i]);
}

} // namespace

InputTerms input_variables(Terms& t, const Unit& unit) {
    InputTerms inputs;
    inputs.a = row(t, "a", unit.K, unit.a);
    inputs.b = row(t, "b", unit.K, unit.b);
    if (unit.scale) {
        inputs.sa = row(t, "sa", unit.scales(), unit.scale->format);
        inputs.sb = row(t, "sb", unit.scales(), unit.scale->format);
    }
    if (unit.c) inputs.c = t.variable("c", format(*unit.c).width);
    return inputs;
}

void set_inputs(TermEvaluator& evaluator, const InputTerms& terms, const Inputs& inputs) {
    set_row(evaluator, terms.a, inputs.a);
    set_row(evaluator, terms.b, inputs.b);
    set_row(evaluator, terms.sa, inputs.sa);
    set_row(evaluator, terms.sb, inputs.sb);
    if (terms.c) evaluator.set(*terms.c, inputs.c);
}

InputTerms constant_inputs(Terms& t, const InputTerms& variables, const Inputs& inputs) {
    const auto row = [&t](const std::vector<Term>& of, std::span<const std::uint64_t> values) {
        std::vector<Term> constants;
        for (std::size_t i = 0; i < of.size(); ++i) constants.push_back(t.constant(t.width(of[i]), values[i]));
        return constants;
    };
    InputTerms all{row(variables.a, inputs.a), row(variables.b, inputs.b), row(variables.sa, inputs.sa),
                   row(variables.sb, inputs.sb), std::nullopt};
    if (variables.c) all.c = t.constant(t.width(*variables.c), inputs.c);
    return all;
}

} // namespace discern
