// Designs under Icarus Verilog: a bench of the campaign's own, around a design and many vectors.
#include "folder.hpp"
#include "verilog.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/format.hpp"

#include <fmt/format.h>

#include <sstream>

namespace discern::claims {

namespace {

using discern::testing::Folder;

std::string bench(const Unit& unit, const Timing& timing, std::size_t count, const std::string& file) {
    std::string pins, words;
    int width = 0;
    std::string text = "`timescale 1ns/1ns\nmodule bench;\n  reg clk, rst;\n";
    for (const PortWidth& port : operand_ports(unit)) {
        text += fmt::format("  reg [{}:0] {};\n", port.width - 1, port.name);
        pins += fmt::format(".{0}({0}), ", port.name);
        words += (words.empty() ? "" : ", ") + port.name;
        width += port.width;
    }
    if (timing.cycles > 0) pins += ".clk(clk), ";
    if (timing.has_reset) pins += ".rst(rst), ";
    const std::string edge = "#2 clk = 1; #2 clk = 0;";
    text += fmt::format("  wire [{}:0] d;\n  unit dut({}.d(d));\n  reg [{}:0] v [0:{}];\n  integer i, j;\n"
                        "  initial begin $readmemb(\"{}\", v); clk = 0; {{{}}} = 0;\n",
                        result_width(unit) - 1, pins, width - 1, count - 1, file, words);
    if (timing.has_reset)
        text += fmt::format("    rst = {}; for (i = 0; i <= {}; i = i + 1) begin {} end rst = {};\n",
                            timing.low ? 0 : 1, timing.cycles, edge, timing.low ? 1 : 0);
    const std::string put = fmt::format("{{{}}} = v[i];", words);
    if (timing.cycles == 0)
        text += fmt::format("    for (i = 0; i < {}; i = i + 1) begin {} #2 $display(\"%b\", d); end\n", count, put);
    else if (timing.hold)
        text +=
            fmt::format("    for (i = 0; i < {}; i = i + 1) begin {} for (j = 0; j < {}; j = j + 1) begin {} end #1 "
                        "$display(\"%b\", d); end\n",
                        count, put, timing.cycles, edge);
    else
        text += fmt::format("    for (i = 0; i < {0} + {1}; i = i + 1) begin if (i < {0}) {2} #1 if (i >= {1}) "
                            "$display(\"%b\", d); {3} end\n",
                            count, timing.cycles, put, edge);
    return text + "    $finish; end\nendmodule\n";
}

} // namespace

std::string operands_in_binary(const Unit& unit, const Inputs& inputs) {
    std::string text;
    const auto add = [&](std::span<const std::uint64_t> patterns, FormatId id) {
        std::string word;
        for (const std::uint64_t x : patterns) word.insert(0, digits(x, format(id).width));
        text += word;
    };
    add(inputs.a, unit.a);
    add(inputs.b, unit.b);
    if (unit.scale) {
        add(inputs.sa, unit.scale->format);
        add(inputs.sb, unit.scale->format);
    }
    if (unit.c) add(std::span(&inputs.c, 1), *unit.c);
    return text;
}

InputBuffer operands_from_binary(const Unit& unit, const std::string& text) {
    InputBuffer x;
    std::size_t end = 0; // of the operand, which has its first element lowest
    const auto read = [&](std::vector<std::uint64_t>& patterns, int count, FormatId id) {
        const auto width = static_cast<std::size_t>(format(id).width);
        end += width * static_cast<std::size_t>(count);
        for (std::size_t i = 1; i <= static_cast<std::size_t>(count); ++i)
            patterns.push_back(std::stoull(text.substr(end - i * width, width), nullptr, 2));
    };
    read(x.a, unit.K, unit.a);
    read(x.b, unit.K, unit.b);
    if (unit.scale) {
        read(x.sa, unit.scales(), unit.scale->format);
        read(x.sb, unit.scales(), unit.scale->format);
    }
    std::vector<std::uint64_t> c;
    if (unit.c) read(c, 1, *unit.c);
    if (!c.empty()) x.c = c.front();
    return x;
}

std::string digits(std::uint64_t value, int width) {
    std::string text;
    for (int i = width; i-- > 0;) text += ((value >> i) & 1) != 0 ? '1' : '0';
    return text;
}

std::string missing_tools() {
    for (const char* const program : {"yosys", "iverilog"})
        if (!is_program(program)) return std::string(program) + " is not installed";
    return "";
}

std::vector<std::string> simulated(const Unit& unit, const Timing& timing, const std::vector<InputBuffer>& vectors,
                                   const std::string& design) {
    const Folder folder;
    std::string lines;
    for (const InputBuffer& x : vectors) lines += operands_in_binary(unit, x.inputs()) + "\n";
    const std::string file = folder.file("vectors", lines);
    const std::string text = folder.file("bench.sv", bench(unit, timing, vectors.size(), file));
    const ProcessResult result = run_process(
        fmt::format("iverilog -g2012 -s bench -o {0} {1} {2} && vvp -n {0}", folder.path("out"), text, design), "",
        [] { return false; });
    std::istringstream in(result.output);
    std::vector<std::string> shown;
    for (std::string line; std::getline(in, line);) shown.push_back(line);
    if (result.ended != "exit status 0" || shown.size() != vectors.size()) return {};
    return shown;
}

} // namespace discern::claims
