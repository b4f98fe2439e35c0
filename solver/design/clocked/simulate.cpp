// Writes a test bench for each simulator that is installed, runs it, and reads the results.
#include "simulate.hpp"

#include "solver/design/read/folder.hpp"
#include "solver/design/read/yosys.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <fstream>
#include <sstream>

namespace discern::rtl {

namespace {

std::uint64_t pattern_of(const Vector& v, const Pattern& p) {
    const auto at = static_cast<std::size_t>(p.index);
    if (p.operand == "c") return v.c.value_or(0);
    const auto& row = p.operand == "a" ? v.a : p.operand == "b" ? v.b : p.operand == "sa" ? v.sa : v.sb;
    return row[at];
}

std::string digits(std::uint64_t value, int width) {
    std::string text;
    for (int i = width; i-- > 0;) text += i < 64 && ((value >> i) & 1u) != 0 ? '1' : '0';
    return text;
}

/// A port's bits for a vector, the highest first.
std::string port_digits(const PortUse& use, const Vector& v) {
    std::string text;
    for (const Pattern& p : use.patterns) text.insert(0, digits(pattern_of(v, p), p.width));
    return text;
}

std::string constant_digits(const std::vector<bool>& value) {
    std::string text;
    for (const bool bit : value) text.insert(0, 1, bit ? '1' : '0');
    return text;
}

std::string literal(const std::string& binary) { return std::to_string(binary.size()) + "'b" + binary; }

std::string files(const Sources& sources) {
    std::string text = simulator_options(sources);
    for (const std::string& file : packages_first(sources)) text += " " + shell_word(file);
    return text;
}

std::vector<std::string> lines(const std::string& output) {
    std::vector<std::string> result;
    std::istringstream in(output);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("d ")) result.push_back(line.substr(2));
    return result;
}

struct Simulator {
    const char *name, *program;
    /// The commands that build and run the bench.
    std::string (*command)(const Folder& folder, const std::string& bench, const std::string& files);
};

constexpr Simulator simulators[] = {
    {"Icarus Verilog", "iverilog",
     [](const Folder& folder, const std::string& bench, const std::string& files) {
         const std::string out = shell_word(folder.file("bench.out"));
         return "iverilog -g2012 -s discern_bench -o " + out + files + " " + bench + " && vvp -n " + out;
     }},
    {"Verilator", "verilator",
     [](const Folder& folder, const std::string& bench, const std::string& files) {
         const std::string out = shell_word(folder.file("verilated"));
         // Its own library is compiled with each design, unless a compiler cache has it.
         const char* const cache = is_program("ccache") ? "OBJCACHE=\"${OBJCACHE-ccache}\" " : "";
         return cache +
                std::string("verilator --binary --timing -Wno-fatal -Wno-lint -Wno-style -O0 --x-assign 0 --top-module "
                            "discern_bench --Mdir ") +
                out + files + " " + bench + " >/dev/null && " + out + "/Vdiscern_bench";
     }},
};

/// Uses yosys' own evaluation, for a netlist without registers.
std::optional<Simulated> evaluated(const Sources& sources, const Connection& connection, const Vector& vector,
                                   const std::function<bool()>& must_stop) {
    if (connection.has_clock || connection.outputs.size() != 1) return std::nullopt;
    std::string script = reading_script(sources);
    script += "proc\nflatten\neval";
    for (const auto& [name, use] : connection.inputs)
        script += " -set " + name + " " +
                  literal(use.kind == PortUse::Kind::constant ? constant_digits(use.value) : port_digits(use, vector));
    script += " -show " + connection.outputs.front().first + "\n";
    const ProcessResult result = run_process("yosys -Q -p " + shell_word(script), "", must_stop);
    const auto found = result.output.find("Eval result: ");
    const auto quote = result.output.find("'", found);
    if (found == std::string::npos || quote == std::string::npos) return std::nullopt;
    const auto end = result.output.find_first_of(".\n", quote);
    return Simulated{"yosys", {result.output.substr(quote + 1, end - quote - 1)}};
}

} // namespace

std::optional<std::uint64_t> known(const std::string& binary) {
    std::uint64_t value = 0;
    for (const char c : binary) {
        if (c != '0' && c != '1') return std::nullopt;
        value = value << 1u | (c == '1' ? 1u : 0u);
    }
    return value;
}

std::string vector_lines(const Design& design, const Connection& connection, const std::vector<Vector>& vectors) {
    std::string text;
    for (const Vector& v : vectors) {
        for (const Port& port : design.ports)
            if (const auto use = connection.inputs.find(port.name);
                port.is_input && use->second.kind == PortUse::Kind::operands)
                text += port_digits(use->second, v);
        text += '\n';
    }
    return text;
}

std::string bench_for(const Sources& sources, const Design& design, const Connection& connection, std::size_t vectors,
                      const std::string& file) {
    std::string text = "`timescale 1ns/1ns\nmodule discern_bench;\n";
    std::string pins, preset, operands, clock, reset;
    std::size_t width = 0;
    bool active = true;
    for (const Port& port : design.ports) {
        const std::string name = "s_" + port.name;
        text += sentence("  ", port.is_input ? "reg" : "wire", " [", port.bits.size() - 1, ":0] ", name, ";\n");
        pins += sentence(pins.empty() ? "" : ", ", ".", port.name, "(", name, ")");
        if (!port.is_input) continue;
        const PortUse& use = connection.inputs.at(port.name);
        switch (use.kind) {
        case PortUse::Kind::clock: clock = name; break;
        case PortUse::Kind::reset:
            reset = name;
            active = use.value.front();
            break;
        case PortUse::Kind::constant:
            preset += "    " + name + " = " + literal(constant_digits(use.value)) + ";\n";
            break;
        case PortUse::Kind::operands:
            operands += (operands.empty() ? "" : ", ") + name;
            width += port.bits.size();
            break;
        }
    }
    std::string parameters;
    for (const auto& [name, value] : sources.parameters)
        parameters += sentence(parameters.empty() ? "" : ", ", ".", name, "(", value, ")");
    text += sentence("  ", design.top, parameters.empty() ? "" : " #(" + parameters + ")", " design_under_test (", pins,
                     ");\n  reg [", width - 1, ":0] vectors [0:", vectors - 1, "];\n  integer i;\n");
    std::string result;
    for (const auto& [port, pattern] : connection.outputs) result = "s_" + port + (result.empty() ? "" : ", " + result);
    const std::string edge = clock.empty() ? "" : "      #1 " + clock + " = 1; #1 " + clock + " = 0; #1;\n";
    text += "  initial begin\n    $readmemb(\"" + file + "\", vectors);\n" + preset;
    text += "    {" + operands + "} = 0;\n";
    if (!clock.empty()) text += "    " + clock + " = 0;\n";
    std::string resetting;
    if (!reset.empty()) {
        resetting = "      " + reset + " = " + (active ? "1" : "0") + ";\n";
        for (int cycle = 0; cycle <= connection.cycles; ++cycle) resetting += edge;
        resetting += "      " + reset + " = " + (active ? "0" : "1") + ";\n";
    }
    if (!connection.once) text += resetting;
    const std::string show = "      #1 $display(\"d %b\", {" + result + "});\n";
    if (connection.once || connection.hold || connection.cycles == 0) {
        text += sentence("    for (i = 0; i < ", vectors, "; i = i + 1) begin\n");
        if (connection.once) text += resetting;
        text += "      #1 {" + operands + "} = vectors[i];\n";
        for (int cycle = 0; cycle < connection.cycles; ++cycle) {
            text += edge;
            if (cycle == 0 && !connection.hold) // in other cycles something else
                text += "      {" + operands + "} = ~vectors[i];\n";
        }
        text += show;
        if (connection.cycles == 0) text += edge;
    } else { // one after the other, and after the last one something else
        text += sentence("    for (i = 0; i < ", vectors + static_cast<std::size_t>(connection.cycles),
                         "; i = i + 1) begin\n      #1 {", operands, "} = i < ", vectors, " ? vectors[i] : ~vectors[",
                         vectors - 1, "];\n      if (i >= ", connection.cycles, ") begin\n", show, "      end\n", edge);
    }
    return text + "    end\n    $finish;\n  end\nendmodule\n";
}

std::optional<Simulated> simulate(const Sources& sources, const Design& design, const Connection& connection,
                                  const std::vector<Vector>& vectors, const std::function<bool()>& must_stop,
                                  std::string& why_not, const std::string& only) {
    const Folder folder;
    const std::string bench = folder.file("bench.sv");
    Sources named = sources;
    named.top = design.top;
    std::ofstream(bench) << bench_for(named, design, connection, vectors.size(), folder.file("vectors"));
    std::ofstream(folder.file("vectors")) << vector_lines(design, connection, vectors);
    for (const Simulator& simulator : simulators) {
        if (!is_program(simulator.program) || (!only.empty() && only != simulator.name)) continue;
        const ProcessResult result =
            run_process(simulator.command(folder, shell_word(bench), files(sources)), "", must_stop);
        Simulated simulated{simulator.name, lines(result.output)};
        if (simulated.d.size() == vectors.size()) return simulated;
        if (result.stopped) break;
        why_not = sentence(simulator.name, ": ", excerpt(result.errors.empty() ? result.ended : result.errors, 160));
    }
    if (vectors.size() == 1 && (only.empty() || only == "yosys"))
        return evaluated(named, connection, vectors.front(), must_stop);
    return std::nullopt;
}

} // namespace discern::rtl
