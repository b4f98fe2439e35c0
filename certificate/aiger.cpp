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

/// @param latches  so many of the last inputs and of the last outputs are registers, before and after an edge
std::string header(const char* form, const AndCircuit& circuit, std::size_t latches = 0) {
    return form + text_of(circuit.inputs + circuit.gates.size()) + ' ' + text_of(circuit.inputs - latches) + ' ' +
           text_of(latches) + ' ' + text_of(circuit.outputs.size() - latches) + ' ' + text_of(circuit.gates.size()) +
           '\n';
}

void put(Literal x, std::string& bytes) {
    for (; x >= 128; x >>= 7u) bytes += static_cast<char>(x | 128u);
    bytes += static_cast<char>(x);
}

/// The names of an operation's operands, one an input. @param before  what stands before each
void name_operands(const Unit& unit, const std::string& before, std::vector<std::string>& names) {
    for (const Row& row : rows(unit))
        for (int k = 0; k < row.count; ++k)
            for (int bit = 0; bit < row.format->width; ++bit) {
                const std::string element = row.patterns == &Operands::c ? "" : std::to_string(k);
                names.push_back(before + row.name + element + '[' + std::to_string(bit) + ']');
            }
}
/// NAME[0], NAME[1], … until there are so many names.
void number_names(const std::string& name, std::size_t until, std::vector<std::string>& names) {
    for (std::size_t i = 0; names.size() < until; ++i) names.push_back(name + '[' + text_of(i) + ']');
}
/// The lines that name inputs (i), latches (l) or outputs (o).
std::string lines_of(char kind, const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) text += kind + text_of(i) + ' ' + names[i] + '\n';
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
    std::vector<std::string> names;
    name_operands(unit, "", names);
    return to_binary(and_circuit(miter.netlist, {miter.different})) + lines_of('i', names) + "o0 different\n";
}

namespace {

/// A circuit as ASCII AIGER, with the names of its inputs (without latches) and outputs.
std::string ascii_text(const AndCircuit& circuit, const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs, std::size_t latches = 0) {
    std::string text = header("aag ", circuit, latches);
    const std::size_t ports = circuit.inputs - latches, results = circuit.outputs.size() - latches;
    for (std::size_t i = 0; i < ports; ++i) text += text_of(2 * (i + 1)) + '\n';
    for (std::size_t i = 0; i < latches; ++i) { // which hold anything at the beginning
        const std::string own = text_of(2 * (ports + i + 1));
        text += own + ' ' + text_of(circuit.outputs[results + i]) + ' ' + own + '\n';
    }
    for (std::size_t i = 0; i < results; ++i) text += text_of(circuit.outputs[i]) + '\n';
    for (std::size_t i = 0; i < circuit.gates.size(); ++i)
        text +=
            text_of(circuit.gate(i)) + ' ' + text_of(circuit.gates[i][0]) + ' ' + text_of(circuit.gates[i][1]) + '\n';
    std::vector<std::string> registers;
    number_names("register", latches, registers);
    return text + lines_of('i', inputs) + lines_of('l', registers) + lines_of('o', outputs);
}

/// How many of what a text has.
struct Counts {
    std::size_t inputs = 0, latches = 0, outputs = 0;
};

// Numbers are read as they come; that they stand where they should, and that everything between them is right, is seen
// when the circuit is written again.
/// @param why_not  what is wrong about so many inputs, latches and outputs, or nothing
/// @param again    writes the circuit, with so many latches
template <typename WhyNot, typename Again>
ClockedCircuit from_text(const std::string& text, const std::string& name, const WhyNot& why_not, const Again& again) {
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
    ClockedCircuit read;
    AndCircuit& circuit = read.edge;
    const std::size_t last = number(), inputs = number();
    read.registers = number();
    const std::size_t outputs = number(), gates = number();
    circuit.inputs = inputs + read.registers;
    if (const std::string why = why_not(Counts{inputs, read.registers, outputs}); !why.empty()) refuse(why);
    if (last != circuit.inputs + gates || last >= Netlist::most_of_a_claim)
        refuse("the first number has to be that of inputs" + std::string(read.registers > 0 ? ", latches" : "") +
               " and gates, and less than " + text_of(Netlist::most_of_a_claim));
    for (std::size_t i = 0; i < inputs; ++i) number();
    Bits after;
    for (std::size_t i = 0; i < read.registers; ++i) {
        number();
        after.push_back(number());
        number();
    }
    for (std::size_t i = 0; i < outputs; ++i) circuit.outputs.push_back(number());
    circuit.outputs.insert(circuit.outputs.end(), after.begin(), after.end());
    for (std::size_t i = 0; i < gates; ++i) {
        number();
        const Literal one = number();
        const Literal other = number();
        circuit.gates.push_back({one, other});
        if (one >= circuit.gate(i) || other >= circuit.gate(i))
            refuse("the gate " + text_of(circuit.gate(i)) + " reads what is not before it");
    }
    for (const Literal x : circuit.outputs)
        if (node_of(x) > last) refuse("an output is no gate: " + text_of(x));
    const std::string as_written = again(read);
    if (text.compare(0, as_written.size(), as_written) != 0 ||
        (text.size() > as_written.size() && text[as_written.size()] != 'c')) {
        const auto [mine, theirs] = std::mismatch(as_written.begin(), as_written.end(), text.begin(), text.end());
        refuse("line " + text_of(1 + static_cast<std::size_t>(std::count(as_written.begin(), mine, '\n'))) +
               " is not as such a circuit is written: inputs in the order of the operands, and gates in theirs");
    }
    return read;
}

constexpr const char* no_latches = "it has latches, and a claim is about a circuit without them";

/// What is wrong: there are so many, and that is not right.
std::string but(const Counts& there, const std::string& what) {
    return "it has " + text_of(there.inputs) + " inputs and " + text_of(there.outputs) + " outputs, and " + what;
}

/// Over one operation's operands, and bits that are open. @param name  of the outputs
std::string over_operands(const AndCircuit& circuit, const Unit& unit, const char* name) {
    std::vector<std::string> inputs, outputs;
    name_operands(unit, "", inputs);
    number_names("open", circuit.inputs, inputs);
    number_names(name, circuit.outputs.size(), outputs);
    return ascii_text(circuit, inputs, outputs);
}

} // namespace

std::string design_to_aiger(const AndCircuit& design, const Unit& unit) { return over_operands(design, unit, "d"); }

AndCircuit design_from_aiger(const std::string& text, const Unit& unit, const std::string& name) {
    const auto why_not = [&](const Counts& there) -> std::string {
        if (there.latches != 0) return no_latches;
        const std::size_t bits = input_bits(unit), width = static_cast<std::size_t>(format(unit.d).width);
        if (there.inputs >= bits && there.outputs == width) return "";
        return but(there, "the operands have " + text_of(bits) + " bits, and d " + text_of(width));
    };
    return from_text(text, name, why_not, [&](const auto& read) { return design_to_aiger(read.edge, unit); }).edge;
}

std::string cases_to_aiger(const AndCircuit& cases, const Unit& unit) { return over_operands(cases, unit, "case"); }

AndCircuit cases_from_aiger(const std::string& text, const Unit& unit, const std::string& name) {
    const auto why_not = [&](const Counts& there) -> std::string {
        if (there.latches != 0) return no_latches;
        const std::size_t bits = input_bits(unit);
        if (there.inputs == bits && there.outputs > 0 && there.outputs <= most_cases_of_a_claim) return "";
        return but(there, "the operands have " + text_of(bits) + " bits, and there are up to " +
                              text_of(most_cases_of_a_claim) + " cases");
    };
    return from_text(text, name, why_not, [&](const auto& read) { return cases_to_aiger(read.edge, unit); }).edge;
}

std::string clocked_to_aiger(const ClockedCircuit& design, const Unit& unit) {
    std::vector<std::string> inputs, outputs;
    name_operands(unit, "", inputs);
    inputs.insert(inputs.end(), {"in_valid", "out_ready", "reset"});
    number_names("open", design.edge.inputs - design.registers, inputs);
    number_names("d", static_cast<std::size_t>(format(unit.d).width), outputs);
    outputs.insert(outputs.end(), {"in_ready", "out_valid"});
    return ascii_text(design.edge, inputs, outputs, design.registers);
}

ClockedCircuit clocked_from_aiger(const std::string& text, const Unit& unit, const std::string& name) {
    const auto why_not = [&](const Counts& there) -> std::string {
        const std::size_t least = input_bits(unit) + ClockedCircuit::ports_in;
        const std::size_t outputs = static_cast<std::size_t>(format(unit.d).width) + ClockedCircuit::ports_out;
        if (there.inputs >= least && there.outputs == outputs) return "";
        return but(there, "operands, in_valid, out_ready and reset have " + text_of(least) +
                              " bits, and d, in_ready and out_valid " + text_of(outputs));
    };
    return from_text(text, name, why_not, [&](const auto& read) { return clocked_to_aiger(read, unit); });
}

std::string states_to_aiger(const AndCircuit& states, const Unit& unit, std::size_t operations) {
    std::vector<std::string> inputs, outputs;
    for (std::size_t i = 0; i < operations; ++i) name_operands(unit, "operation" + text_of(i) + ".", inputs);
    number_names("states", states.outputs.size(), outputs);
    return ascii_text(states, inputs, outputs);
}

AndCircuit states_from_aiger(const std::string& text, const Unit& unit, std::size_t operations, std::size_t outputs,
                             const std::string& name) {
    const auto why_not = [&](const Counts& there) -> std::string {
        if (there.latches != 0) return no_latches;
        const std::size_t inputs = operations * input_bits(unit);
        if (there.inputs == inputs && there.outputs == outputs) return "";
        return but(there, "operations have " + text_of(inputs) + " bits, and states " + text_of(outputs));
    };
    const auto again = [&](const auto& read) { return states_to_aiger(read.edge, unit, operations); };
    return from_text(text, name, why_not, again).edge;
}

} // namespace discern::certificate
