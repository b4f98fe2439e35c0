#include "aiger.hpp"

#include "models/error.hpp"
#include "models/format.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace discern::certificate {

namespace {

/// And-gates, made of gates of every kind.
class AndGates {
  public:
    AndGates(std::size_t inputs, bool shared) : shared_(shared) { circuit_.inputs = inputs; }

    /// @param gate  not an input
    Literal make(Gate gate, Literal x, Literal y, Literal z);
    AndCircuit circuit() && { return std::move(circuit_); }

  private:
    Literal make_and(Literal x, Literal y);
    Literal make_or(Literal x, Literal y) { return invert(make_and(invert(x), invert(y))); }

    AndCircuit circuit_;
    bool shared_;
    std::map<std::pair<Literal, Literal>, Literal> made_; ///< if shared
};

Literal AndGates::make_and(Literal x, Literal y) {
    if (x == no || y == no || x == invert(y)) return no;
    if (x == yes || x == y) return y;
    if (y == yes) return x;
    const std::pair<Literal, Literal> in = std::minmax(x, y);
    if (shared_)
        if (const auto made = made_.find(in); made != made_.end()) return made->second;
    const Literal output = circuit_.gate(circuit_.gates.size());
    circuit_.gates.push_back({in.second, in.first});
    if (shared_) made_.emplace(in, output);
    return output;
}

Literal AndGates::make(Gate gate, Literal x, Literal y, Literal z) {
    switch (gate) {
    case Gate::and_: return make_and(x, y);
    case Gate::xor_: {
        const Literal two = make_and(x, y);
        const Literal one = make_or(x, y);
        return make_and(one, invert(two));
    }
    case Gate::mux: {
        const Literal without = make_and(invert(x), z);
        const Literal with = make_and(x, y);
        return make_or(with, without);
    }
    case Gate::majority: {
        const Literal z_and_one = make_and(z, make_or(x, y));
        const Literal two = make_and(x, y);
        return make_or(two, z_and_one);
    }
    case Gate::input: break;
    }
    return no;
}

std::string text_of(std::size_t x) { return std::to_string(x); }

std::string header(const char* form, const AndCircuit& circuit) {
    return form + text_of(circuit.inputs + circuit.gates.size()) + ' ' + text_of(circuit.inputs) + " 0 " +
           text_of(circuit.outputs.size()) + ' ' + text_of(circuit.gates.size()) + '\n';
}

void put(Literal x, std::string& bytes) {
    for (; x >= 128; x >>= 7u) bytes += static_cast<char>(x | 128u);
    bytes += static_cast<char>(x);
}

/// @param more  inputs after the operands
std::string names_of_inputs(const Unit& unit, std::size_t more) {
    std::string text;
    std::size_t next = 0;
    for (const Row& row : rows(unit))
        for (int k = 0; k < row.count; ++k)
            for (int bit = 0; bit < row.format->width; ++bit) {
                const std::string element = row.patterns == &Operands::c ? "" : std::to_string(k);
                text += 'i' + text_of(next++) + ' ' + row.name + element + '[' + std::to_string(bit) + "]\n";
            }
    for (std::size_t i = 0; i < more; ++i) text += 'i' + text_of(next++) + " open[" + text_of(i) + "]\n";
    return text;
}

} // namespace

AndCircuit and_circuit(const Netlist& netlist, const Bits& outputs, bool shared) {
    const auto& nodes = netlist.nodes();
    AndGates gates(netlist.inputs(), shared);
    std::vector<Literal> renamed(nodes.size());
    const auto rename = [&](Literal x) { return invert_if(is_inverted(x), renamed[node_of(x)]); };
    for (std::size_t i = 0; i < netlist.inputs(); ++i)
        renamed[node_of(netlist.input(i))] = static_cast<Literal>(2 * (i + 1));
    for (std::size_t i = 1; i < nodes.size(); ++i)
        if (!netlist.is_input(i))
            renamed[i] =
                gates.make(nodes[i].gate, rename(nodes[i].in[0]), rename(nodes[i].in[1]), rename(nodes[i].in[2]));
    AndCircuit circuit = std::move(gates).circuit();
    for (const Literal x : outputs) circuit.outputs.push_back(rename(x));
    return circuit;
}

std::string to_binary(const AndCircuit& circuit) {
    std::string text = header("aig ", circuit);
    for (const Literal x : circuit.outputs) text += text_of(x) + '\n';
    for (std::size_t i = 0; i < circuit.gates.size(); ++i) {
        put(circuit.gate(i) - circuit.gates[i][0], text);
        put(circuit.gates[i][0] - circuit.gates[i][1], text);
    }
    return text;
}

std::string to_aiger(const Miter& miter, const Unit& unit) {
    return to_binary(and_circuit(miter.netlist, {miter.different})) + names_of_inputs(unit, 0) + "o0 different\n";
}

namespace {

/// @param outputs  their name
std::string ascii_text(const AndCircuit& design, const Unit& unit, const char* outputs) {
    std::string text = header("aag ", design);
    for (std::size_t i = 0; i < design.inputs; ++i) text += text_of(2 * (i + 1)) + '\n';
    for (const Literal x : design.outputs) text += text_of(x) + '\n';
    for (std::size_t i = 0; i < design.gates.size(); ++i)
        text += text_of(design.gate(i)) + ' ' + text_of(design.gates[i][0]) + ' ' + text_of(design.gates[i][1]) + '\n';
    text += names_of_inputs(unit, design.inputs - input_bits(unit));
    for (std::size_t i = 0; i < design.outputs.size(); ++i)
        text += 'o' + text_of(i) + ' ' + outputs + '[' + text_of(i) + "]\n";
    return text;
}

// Numbers are read as they come; that they stand where they should, and that everything between them is right, is seen
// when the circuit is written again.
/// @param outputs_are  their name
/// @param why_not      what is wrong about so many inputs and outputs, or nothing
template <typename WhyNot>
AndCircuit from_text(const std::string& text, const Unit& unit, const std::string& name, const char* outputs_are,
                     const WhyNot& why_not) {
    const auto refuse = [&](const std::string& why) { throw Error(name + ": " + why); };
    std::size_t at = 0;
    const auto number = [&] {
        Literal x = 0;
        while (at < text.size() && (text[at] == ' ' || text[at] == '\n')) ++at;
        const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), x);
        if (error != std::errc())
            refuse("a number is expected in line " +
                   text_of(1 + static_cast<std::size_t>(
                                   std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'))));
        at = static_cast<std::size_t>(end - text.data());
        return x;
    };
    if (!text.starts_with("aag ")) refuse("it is no AIGER text, which begins with 'aag'");
    at = 4;
    AndCircuit design;
    const std::size_t last = number();
    design.inputs = number();
    const std::size_t latches = number(), outputs = number(), gates = number();
    if (latches != 0) refuse("it has latches, and a claim is about a circuit without them");
    if (const std::string why = why_not(design.inputs, outputs); !why.empty())
        refuse("it has " + text_of(design.inputs) + " inputs and " + text_of(outputs) + " outputs, and " + why);
    if (last != design.inputs + gates || last >= Netlist::most_of_a_claim)
        refuse("the first number has to be that of inputs and gates, and less than " +
               text_of(Netlist::most_of_a_claim));
    for (std::size_t i = 0; i < design.inputs; ++i) number();
    for (std::size_t i = 0; i < outputs; ++i) design.outputs.push_back(number());
    for (std::size_t i = 0; i < gates; ++i) {
        number();
        const Literal one = number();
        const Literal other = number();
        design.gates.push_back({one, other});
        if (one >= design.gate(i) || other >= design.gate(i))
            refuse("the gate " + text_of(design.gate(i)) + " reads what is not before it");
    }
    for (const Literal x : design.outputs)
        if (node_of(x) > last) refuse("an output is no gate: " + text_of(x));
    const std::string again = ascii_text(design, unit, outputs_are);
    if (text.compare(0, again.size(), again) != 0 || (text.size() > again.size() && text[again.size()] != 'c')) {
        const auto [mine, theirs] = std::mismatch(again.begin(), again.end(), text.begin(), text.end());
        refuse("line " + text_of(1 + static_cast<std::size_t>(std::count(again.begin(), mine, '\n'))) +
               " is not as such a circuit is written: inputs in the order of the operands, and gates in theirs");
    }
    return design;
}

} // namespace

std::string design_to_aiger(const AndCircuit& design, const Unit& unit) { return ascii_text(design, unit, "d"); }

AndCircuit design_from_aiger(const std::string& text, const Unit& unit, const std::string& name) {
    return from_text(text, unit, name, "d", [&](std::size_t inputs, std::size_t outputs) -> std::string {
        const std::size_t bits = input_bits(unit), width = static_cast<std::size_t>(format(unit.d).width);
        if (inputs >= bits && outputs == width) return "";
        return "the operands have " + text_of(bits) + " bits, and d " + text_of(width);
    });
}

std::string cases_to_aiger(const AndCircuit& cases, const Unit& unit) { return ascii_text(cases, unit, "case"); }

AndCircuit cases_from_aiger(const std::string& text, const Unit& unit, const std::string& name) {
    return from_text(text, unit, name, "case", [&](std::size_t inputs, std::size_t outputs) -> std::string {
        const std::size_t bits = input_bits(unit);
        if (inputs == bits && outputs > 0 && outputs <= most_cases_of_a_claim) return "";
        return "the operands have " + text_of(bits) + " bits, and there are up to " + text_of(most_cases_of_a_claim) +
               " cases";
    });
}

} // namespace discern::certificate
