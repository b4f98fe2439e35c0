#include "gates.hpp"

#include "encodings/graph/gates.hpp"

#include "certificate/aiger.hpp"

#include <utility>

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
    for (const Term operand : inputs.all()) blaster.bits(operand); // these become the inputs, in this order
    for (const Open& open : design.open) blaster.bits(open.variable);
    certificate::Bits d = blaster.bits(design.d);
    const Netlist needed = certificate::without_unused(blaster.netlist(), d);
    return certificate::and_circuit(needed, d, true);
}

certificate::AndCircuit edge_gates_of(const DesignQuestion& question, std::size_t& registers) {
    const Connection& connection = question.connection;
    const Handshake& ports = *connection.handshake;
    Terms terms(Terms::Order::as_written);
    const InputTerms inputs = input_variables(terms, question.unit);
    const std::vector<Net> results = result_nets(question.design, connection);
    Machine machine(terms, question.design, connection, observed_nets(question.design, connection), "edge");
    machine.forget();
    std::vector<Term> before, after;
    for (const std::size_t r : machine.registers()) before.push_back(machine.state(r));
    const std::size_t first_open = machine.open().size(); // what comes before are the registers
    const auto of_port = [&](const std::string& port) {
        return port.empty() ? terms.truth(true) : machine.word({question.design.find(port)->bits.front()});
    };
    machine.evaluate({.reset = false, .operands = &inputs, .valid = {}, .ready = {}});
    const Term valid = of_port(ports.valid_in), ready = of_port(ports.ready_out);
    const std::vector<Term> outputs = {machine.word(results), of_port(ports.ready_in), of_port(ports.valid_out)};
    machine.edge();
    for (const std::size_t r : machine.registers()) after.push_back(machine.state(r));
    const Term reset = terms.variable("reset", 1);
    if (connection.has_reset) {
        std::size_t i = 0;
        for (const std::size_t r : machine.registers()) machine.set_state(r, before[i++]);
        machine.evaluate({.reset = true, .operands = &inputs, .valid = {}, .ready = {}});
        machine.edge();
        i = 0;
        for (const std::size_t r : machine.registers()) {
            after[i] = terms.ite(reset, machine.state(r), after[i]);
            ++i;
        }
    }
    Blaster blaster(terms, Layout::chained);
    for (const Term operand : inputs.all()) blaster.bits(operand); // these become the inputs, in this order
    blaster.bits(valid);
    blaster.bits(ports.ready_out.empty() ? terms.variable("out_ready", 1) : ready);
    blaster.bits(reset);
    for (std::size_t i = first_open; i < machine.open().size(); ++i) {
        const Term open = machine.open()[i].variable;
        if (open != valid && open != ready) blaster.bits(open);
    }
    registers = 0;
    for (const Term held : before) registers += blaster.bits(held).size();
    certificate::Bits all;
    for (const std::vector<Term>* const terms_of : {&outputs, &std::as_const(after)})
        for (const Term x : *terms_of) all.insert(all.end(), blaster.bits(x).begin(), blaster.bits(x).end());
    const Netlist needed = certificate::without_unused(blaster.netlist(), all);
    return certificate::and_circuit(needed, all, true);
}

} // namespace discern::rtl
