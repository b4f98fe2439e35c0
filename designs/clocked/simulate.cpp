// Writes a test bench for each simulator that is installed, runs it, and reads the results.
#include "simulate.hpp"

#include "state.hpp"

#include "designs/read/folder.hpp"
#include "designs/read/yosys.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <filesystem>
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

/// What the bench calls a net of the design.
std::string inner(const std::string& net) { return "design_under_test." + net; }

/// How many ways there are to name what a state is assigned to.
std::size_t choices(const Design& design, const Connection& connection) {
    std::size_t most = 1;
    if (connection.state)
        for (const StatePart& part : parts_of_state(design, *connection.state))
            most = std::max(most, assignable(design, *connection.state, part).size());
    return most;
}

std::string files(const Sources& sources) {
    std::string text = simulator_options(sources);
    for (const std::string& file : packages_first(sources)) text += " " + shell_word(file);
    return text;
}

std::vector<std::string> lines(const std::string& output, const std::string& begin) {
    std::vector<std::string> result;
    std::istringstream in(output);
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(begin)) result.push_back(line.substr(begin.size()));
    return result;
}

const std::string fst = ".fst"; ///< a form of waves; .vcd is the other

struct Simulator {
    const char *name, *program;
    /// The commands that build and run the bench. @param wave  how the name of the file ends that it writes, or nothing
    std::string (*command)(const Folder& folder, const std::string& bench, const std::string& files,
                           const std::string& wave);
};

constexpr Simulator simulators[] = {
    {"Icarus Verilog", "iverilog",
     [](const Folder& folder, const std::string& bench, const std::string& files, const std::string& wave) {
         const std::string out = shell_word(folder.file("bench.out"));
         return "iverilog -g2012 -s discern_bench -o " + out + files + " " + bench + " && vvp -n " + out +
                (wave == fst ? " -fst" : "");
     }},
    {"Verilator", "verilator",
     [](const Folder& folder, const std::string& bench, const std::string& files, const std::string& wave) {
         const std::string out = shell_word(folder.file("verilated"));
         const std::string trace = wave == fst ? "--trace-fst " : wave.empty() ? "" : "--trace ";
         // Its own library is compiled with each design, unless a compiler cache has it.
         const char* const cache = is_program("ccache") ? "OBJCACHE=\"${OBJCACHE-ccache}\" " : "";
         return cache + std::string("verilator --binary --timing -Wno-fatal -Wno-lint -Wno-style -O0 --x-assign 0 ") +
                trace + "--top-module discern_bench --Mdir " + out + files + " " + bench + " >/dev/null && " + out +
                "/Vdiscern_bench";
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
    if (!result.succeeded() || result.output.find("ERROR") != std::string::npos) return std::nullopt;
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
        if (connection.state) text += digits(v.c.value_or(0), static_cast<int>(connection.state->bits.size()));
        for (const Port& port : design.ports)
            if (const auto use = connection.inputs.find(port.name);
                port.is_input && use->second.kind == PortUse::Kind::operands)
                text += port_digits(use->second, v);
        text += '\n';
    }
    return text;
}

namespace {

/// What benches have in common.
struct Bench {
    std::string text;                   ///< up to where nothing has happened
    std::string operands, valid, ready; ///< what is assigned: the ports of operands, and of a handshake
    std::string result, edge, resetting;
    std::size_t width = 0; ///< of the operands' ports
    /// What shows that a vector is the one that a wave marks. @param index  of the vector
    std::string mark(const Wave* wave, const std::string& index) const {
        if (wave == nullptr) return "";
        return sentence("      different = ", index, " == ", wave->wrong,
                        ";\n      if (different) $display(\"t %0d\", $time);\n");
    }
};

/// Behind everything that happens; a wave shows the last values for some time.
std::string end_of_bench(const Wave* wave) {
    return sentence(wave == nullptr ? "" : "    #4;\n", "    $finish;\n  end\nendmodule\n");
}

/// @param rows    of the file with what is on the ports
/// @param beside  bits in each of them besides those of operands
Bench begin_bench(const Sources& sources, const Design& design, const Connection& connection, std::size_t rows,
                  std::size_t beside, const std::string& file, const Wave* wave) {
    Bench bench;
    bench.text = "`timescale 1ns/1ns\nmodule discern_bench;\n";
    std::string pins, preset, clock, reset;
    bool active = true;
    for (const Port& port : design.ports) {
        const std::string name = "s_" + port.name;
        bench.text += sentence("  ", port.is_input ? "reg" : "wire", " [", port.bits.size() - 1, ":0] ", name, ";\n");
        pins += sentence(pins.empty() ? "" : ", ", ".", port.name, "(", name, ")");
        if (!port.is_input) continue;
        const PortUse& use = connection.inputs.at(port.name);
        switch (use.kind) {
        case PortUse::Kind::clock: clock = name; break;
        case PortUse::Kind::reset:
            reset = name;
            active = use.value.front();
            break;
        case PortUse::Kind::valid: bench.valid = name; break;
        case PortUse::Kind::ready: bench.ready = name; break;
        case PortUse::Kind::constant:
            preset += "    " + name + " = " + literal(constant_digits(use.value)) + ";\n";
            break;
        case PortUse::Kind::operands:
            bench.operands += (bench.operands.empty() ? "" : ", ") + name;
            bench.width += port.bits.size();
            break;
        }
    }
    std::string parameters;
    for (const auto& [name, value] : sources.parameters)
        parameters += sentence(parameters.empty() ? "" : ", ", ".", name, "(", value, ")");
    bench.text +=
        sentence("  ", design.top, parameters.empty() ? "" : " #(" + parameters + ")", " design_under_test (", pins,
                 ");\n  reg [", bench.width + beside - 1, ":0] vectors [0:", rows - 1, "];\n  integer i;\n");
    if (connection.result_is_state)
        bench.result = inner(connection.state->name);
    else
        for (const auto& [port, pattern] : connection.outputs)
            bench.result = "s_" + port + (bench.result.empty() ? "" : ", " + bench.result);
    if (!clock.empty()) bench.edge = "      #1 " + clock + " = 1; #1 " + clock + " = 0; #1;\n";
    if (wave != nullptr) {
        bench.text += "  reg different;\n";
        for (const WaveSignal& signal : wave_signals(design, connection, bench.result, *wave))
            if (!signal.value.empty())
                bench.text += sentence("  wire [", signal.width - 1, ":0] ", signal.name, " = ", signal.value, ";\n");
    }
    bench.text += "  initial begin\n    $readmemb(\"" + file + "\", vectors);\n" + preset;
    if (wave != nullptr)
        bench.text += sentence("    $dumpfile(\"", wave->file, "\");\n    $dumpvars(0, discern_bench);\n",
                               "    different = 0;\n");
    bench.text += "    {" + bench.operands + "} = 0;\n";
    if (!clock.empty()) bench.text += "    " + clock + " = 0;\n";
    if (!reset.empty()) {
        bench.resetting = "      " + reset + " = " + (active ? "1" : "0") + ";\n";
        for (int cycle = 0; cycle <= connection.cycles; ++cycle) bench.resetting += bench.edge;
        bench.resetting += "      " + reset + " = " + (active ? "0" : "1") + ";\n";
    }
    return bench;
}

/// Writes a bench, runs it, and reads a line for each row. @param make  the bench, by the name of the file with rows
/// @param ways  how many benches there are, each tried where the one before is not taken
std::optional<Simulated> run_bench(const Sources& sources, const std::string& rows, std::size_t count,
                                   const std::function<std::string(const std::string& file, std::size_t way)>& make,
                                   std::size_t ways, const std::function<bool()>& must_stop, std::string& why_not,
                                   const std::string& only, Wave* wave) {
    const Folder folder;
    const std::string bench = folder.file("bench.sv");
    std::ofstream(folder.file("vectors")) << rows;
    for (const Simulator& simulator : simulators) {
        if (!is_program(simulator.program) || (!only.empty() && only != simulator.name)) continue;
        for (std::size_t way = 0; way < ways; ++way) {
            std::ofstream(bench) << make(folder.file("vectors"), way);
            const std::string form = wave == nullptr ? "" : std::filesystem::path(wave->file).extension().string();
            const ProcessResult result =
                run_process(simulator.command(folder, shell_word(bench), files(sources), form), "", must_stop);
            Simulated simulated{simulator.name, lines(result.output, "d ")};
            if (simulated.d.size() == count && result.succeeded()) {
                if (const auto times = lines(result.output, "t "); wave != nullptr && !times.empty())
                    wave->time = std::stoull(times.front());
                return simulated;
            }
            if (result.stopped) return std::nullopt;
            why_not =
                sentence(simulator.name, ": ", excerpt(result.errors.empty() ? result.ended : result.errors, 160));
        }
    }
    return std::nullopt;
}

} // namespace

std::vector<WaveSignal> wave_signals(const Design& design, const Connection& connection, const std::string& result,
                                     const Wave& wave) {
    std::vector<WaveSignal> signals;
    for (const Port& port : design.ports) {
        if (!port.is_input) continue;
        const PortUse& use = connection.inputs.at(port.name);
        int at = 0;
        for (const Pattern& p : use.patterns) {
            const std::string name = p.operand == "c" ? "c" : sentence(p.operand, "_", p.index);
            signals.push_back({name, sentence("s_", port.name, "[", at + p.width - 1, ":", at, "]"), p.width});
            at += p.width;
        }
    }
    if (connection.state)
        signals.push_back({"state", inner(connection.state->name), static_cast<int>(connection.state->bits.size())});
    int width = connection.state ? static_cast<int>(connection.state->bits.size()) : 0;
    if (!connection.result_is_state) width = connection.outputs.front().second.width;
    signals.push_back({"d", "{" + result + "}", width});
    if (!wave.name.empty()) signals.push_back({wave.name, literal(digits(wave.beside, width)), width});
    signals.push_back({"different", "", 1});
    return signals;
}

std::string bench_for(const Sources& sources, const Design& design, const Connection& connection, std::size_t vectors,
                      const std::string& file, std::optional<std::size_t> choice, const Wave* wave) {
    Bench bench = begin_bench(sources, design, connection, vectors,
                              connection.state ? connection.state->bits.size() : 0, file, wave);
    const auto& [begin, operands, valid, ready, result, edge, resetting, width] = bench;
    std::string text = begin;
    for (const std::string* const port : {&valid, &ready})
        if (!port->empty()) text += "    " + *port + " = 1;\n";
    if (!connection.once) text += resetting;
    // The state becomes c of a vector between two edges.
    const auto set_to = [&, width = bench.width](const std::string& vector) {
        if (!choice || !connection.state) return std::string();
        std::string all = "      #1;\n";
        for (const StatePart& part : parts_of_state(design, *connection.state)) {
            const std::vector<std::string> names = assignable(design, *connection.state, part);
            all += sentence("      ", inner(names.at(std::min(*choice, names.size() - 1))), " = vectors[", vector, "][",
                            width + part.at + part.count - 1, ":", width + part.at, "];\n");
        }
        return all;
    };
    const std::string show = "      #1 $display(\"d %b\", {" + result + "});\n";
    if (connection.once || connection.hold || connection.cycles == 0) {
        text += sentence("    for (i = 0; i < ", vectors, "; i = i + 1) begin\n");
        if (connection.once) text += resetting;
        text += "      #1 {" + operands + "} = vectors[i];\n";
        for (int cycle = 0; cycle < connection.cycles; ++cycle) {
            if (connection.state && cycle == connection.state->cycle) text += set_to("i");
            text += edge;
            if (cycle == 0 && !connection.hold) // in other cycles something else
                text += "      {" + operands + "} = ~vectors[i];\n";
        }
        text += show + bench.mark(wave, "i");
        if (connection.cycles == 0) text += edge;
    } else { // one after the other, and after the last one something else
        text += sentence("    for (i = 0; i < ", vectors + static_cast<std::size_t>(connection.cycles),
                         "; i = i + 1) begin\n      #1 {", operands, "} = i < ", vectors, " ? vectors[i] : ~vectors[",
                         vectors - 1, "];\n      if (i >= ", connection.cycles, ") begin\n", show,
                         bench.mark(wave, sentence("i - ", connection.cycles)), "      end\n");
        if (connection.state) {
            const int at = connection.state->cycle;
            text += sentence("      if (i >= ", at, " && i < ", vectors + static_cast<std::size_t>(at), ") begin\n",
                             set_to(sentence("i - ", at)), "      end\n");
        }
        text += edge;
    }
    return text + "    end\n" + end_of_bench(wave);
}

std::optional<Simulated> simulate(const Sources& sources, const Design& design, const Connection& connection,
                                  const std::vector<Vector>& vectors, const std::function<bool()>& must_stop,
                                  std::string& why_not, const std::string& only, bool one_run, Wave* wave) {
    Sources named = sources;
    named.top = design.top;
    const auto simulated = run_bench(
        named, vector_lines(design, connection, vectors), vectors.size(),
        [&](const std::string& file, std::size_t way) {
            return bench_for(named, design, connection, vectors.size(), file,
                             one_run ? std::nullopt : std::optional(way), wave);
        },
        one_run ? 1 : choices(design, connection), must_stop, why_not, only, wave);
    if (simulated || wave != nullptr) return simulated;
    if (vectors.size() == 1 && (only.empty() || only == "yosys"))
        return evaluated(named, connection, vectors.front(), must_stop);
    return std::nullopt;
}

std::optional<Simulated> simulate_offers(const Sources& sources, const Design& design, const Connection& connection,
                                         const std::vector<std::pair<bool, bool>>& offers,
                                         const std::vector<Vector>& operands, const std::function<bool()>& must_stop,
                                         std::string& why_not, Wave* wave) {
    Sources named = sources;
    named.top = design.top;
    std::istringstream patterns(vector_lines(design, connection, operands));
    std::string rows;
    for (const auto& [valid, ready] : offers) {
        std::string line;
        std::getline(patterns, line);
        rows += sentence(valid ? "1" : "0", ready ? "1" : "0", line, "\n");
    }
    const auto make = [&](const std::string& file, std::size_t) {
        const Bench bench = begin_bench(named, design, connection, offers.size(), 2, file, wave);
        const Handshake& ports = *connection.handshake;
        std::string text = bench.text;
        for (const std::string* const port : {&bench.valid, &bench.ready})
            if (!port->empty()) text += "    " + *port + " = 0;\n";
        const auto output = [](const std::string& port) { return port.empty() ? "1'b1" : "s_" + port; };
        text += bench.resetting + sentence("    for (i = 0; i < ", offers.size(), "; i = i + 1) begin\n      #1 ");
        text += sentence("{", bench.operands, "} = vectors[i];\n      ", bench.valid, " = vectors[i][", bench.width + 1,
                         "];\n");
        if (!bench.ready.empty()) text += sentence("      ", bench.ready, " = vectors[i][", bench.width, "];\n");
        text += sentence("      #1 $display(\"d %b\", {", output(ports.ready_in), ", ", output(ports.valid_out), ", ",
                         bench.result, "});\n", bench.mark(wave, "i"), bench.edge);
        return text + "    end\n" + end_of_bench(wave);
    };
    return run_bench(named, rows, offers.size(), make, 1, must_stop, why_not, "", wave);
}

} // namespace discern::rtl
