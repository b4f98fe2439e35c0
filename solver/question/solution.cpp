// Reads the values of variables from a model, and evaluates the members with them.
#include "solution.hpp"

namespace discern {

Vector vector_from(const InputTerms& inputs, const std::function<std::uint64_t(Term)>& value) {
    const auto values = [&](std::span<const Term> row) {
        std::vector<std::uint64_t> patterns;
        for (const Term t : row) patterns.push_back(value(t));
        return patterns;
    };
    Vector v;
    v.a = values(inputs.a);
    v.b = values(inputs.b);
    v.sa = values(inputs.sa);
    v.sb = values(inputs.sb);
    if (inputs.c) v.c = value(*inputs.c);
    return v;
}

namespace {

parametric::Assignment member_of_values(const parametric::UnitSpace& space, const ParameterTerms& parameters,
                                        const std::function<std::uint64_t(Term)>& value) {
    parametric::Assignment member = parametric::Structure::first_of(space.boxes.front());
    for (parametric::Slot s = 0; s < member.size(); ++s)
        if (const auto variable = parameters.variables()[s]) member[s] = value(*variable);
    return member;
}

} // namespace

Solution solution_of(const SpaceQuestion& question, const Circuit& circuit,
                     const std::function<std::uint64_t(Term)>& value) {
    return {vector_from(circuit.inputs, value), member_of_values(question.first, circuit.first, value),
            member_of_values(question.second, circuit.second, value)};
}

Solution solution(Backend& backend, const SpaceQuestion& question, const Circuit& circuit) {
    return solution_of(question, circuit, [&](Term t) { return backend.value(t).low(); });
}

Vector solution(Backend& backend, const InputTerms& inputs) {
    return vector_from(inputs, [&](Term t) { return backend.value(t).low(); });
}

} // namespace discern
