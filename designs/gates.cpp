#include "gates.hpp"

#include "encodings/graph/gates.hpp"

#include "certificate/aiger.hpp"

namespace discern::rtl {

std::optional<certificate::AndCircuit> and_gates_of(const DesignQuestion& question, std::string& why_not) {
    Terms terms(Terms::Order::as_written);
    const InputTerms inputs = input_variables(terms, question.unit);
    const DesignTerm design = unroll(terms, question.design, question.connection, inputs);
    for (const Open& open : design.open)
        if (open.kind == Open::Kind::state) {
            why_not = open.why;
            return std::nullopt;
        }
    Blaster blaster(terms, Layout::chained);
    for (const auto* row : {&inputs.a, &inputs.b, &inputs.sa, &inputs.sb}) // these become the inputs, in this order
        for (const Term operand : *row) blaster.bits(operand);
    if (inputs.c) blaster.bits(*inputs.c);
    for (const Open& open : design.open) blaster.bits(open.variable);
    certificate::Bits d = blaster.bits(design.d);
    const Netlist needed = certificate::without_unused(blaster.netlist(), d);
    return certificate::and_circuit(needed, d, true);
}

} // namespace discern::rtl
