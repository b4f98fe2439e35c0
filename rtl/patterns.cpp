// See patterns.hpp.
#include "patterns.hpp"

namespace discern::rtl {

Vector vector_from(const DesignCircuit& circuit, const std::function<std::uint64_t(Term)>& value) {
    Vector v;
    const auto fill = [&](const std::vector<Term>& terms, std::vector<std::uint64_t>& patterns) {
        for (const Term t : terms) patterns.push_back(value(t));
    };
    fill(circuit.inputs.a, v.a);
    fill(circuit.inputs.b, v.b);
    fill(circuit.inputs.sa, v.sa);
    fill(circuit.inputs.sb, v.sb);
    if (circuit.inputs.c) v.c = value(*circuit.inputs.c);
    return v;
}

Vector vector_from(const DesignCircuit& circuit, const Valuation& solution) {
    return vector_from(circuit, [&](Term t) {
        for (const auto& [variable, value] : solution)
            if (variable == t) return value;
        return std::uint64_t{0};
    });
}

} // namespace discern::rtl
