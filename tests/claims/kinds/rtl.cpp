// `prove UNIT rtl:FILE`: small designs against a simulator, on all inputs; those with registers on long streams of
// operations from the reset. The bench is this file's own.
#include "claims/ask.hpp"
#include "claims/designs/verilog.hpp"
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/verdict.hpp"
#include "folder.hpp"

#include "hwrunner/process/run_process.hpp"
#include "models/format.hpp"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

namespace discern::claims {

namespace {

using discern::testing::Folder;

constexpr int most_bits = 11;
constexpr std::size_t streamed = 3000; ///< operations in an order at random

Case drawn_rtl(Random& random) {
    Case asked;
    Size size;
    size.most_bits = random.one_in(3) ? 8 : most_bits;
    size.scales = random.one_in(4);
    const Unit unit = draw_unit(random, size);
    asked.units = {{unit, ""}};
    const int what = random.below(8);
    if (what == 0) asked.units.push_back({draw_variant(random, unit), ""}); // the design is another unit
    std::string base;
    if (what == 1 && input_bits(unit) <= 9) base = draw_table(random, unit);
    if (what == 2) {
        base = ask({"export", "--as", "sv", asked.units.back().text()}).out;
        base = with_mutant(random, base);
    }
    const Wrapped wrapped = draw_wrapper(random, unit);
    asked.texts["base"] = base;
    asked.texts["wrapper"] = wrapped.text;
    std::string how;
    for (const std::string& option : wrapped.timing.options()) how += (how.empty() ? "" : " ") + option;
    if (random.one_in(2)) asked.options.emplace_back("--by-cases"); // else they begin after most of these questions end
    asked.texts["how"] = how;
    return asked;
}

/// Lines of the wrapper that the wrong answer does not need.
std::vector<Case> simpler_design(const Case& asked) {
    std::vector<Case> list;
    std::istringstream in(asked.texts.at("wrapper"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    for (std::size_t left_out = 0; left_out < lines.size(); ++left_out) {
        Case one = asked;
        std::string& text = one.texts["wrapper"] = "";
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (i != left_out) text += lines[i] + "\n";
        list.push_back(std::move(one));
    }
    if (!asked.texts.at("base").empty()) {
        Case one = asked;
        one.texts["base"] = "";
        list.push_back(std::move(one));
    }
    return list;
}

std::string digits(std::uint64_t value, int width) {
    std::string text;
    for (int i = width; i-- > 0;) text += ((value >> i) & 1) != 0 ? '1' : '0';
    return text;
}

/// All operands, those of the first port highest.
std::string line_of(const Unit& unit, const Inputs& inputs) {
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

/// What the simulator shows for each vector; nothing if it does not take the design.
std::vector<std::string> simulated(const Unit& unit, const Timing& timing, const std::vector<InputBuffer>& vectors,
                                   const std::string& design) {
    const Folder folder;
    std::string lines;
    for (const InputBuffer& x : vectors) lines += line_of(unit, x.inputs()) + "\n";
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

Compared compared_rtl(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    const Timing timing = Timing::of(asked.texts.at("how"));
    std::string text = asked.texts.at("base");
    if (text.empty()) text = ask({"export", "--as", "sv", asked.units.back().text()}).out;
    text += asked.texts.at("wrapper");
    const Folder folder;
    const std::string design = folder.file("design.sv", text);
    std::vector<std::string> words = {
        "prove", asked.units.front().text(), "rtl:" + design, "--top", "unit", "--json", "--timeout", "3"};
    append(words, {asked.texts.at("how")});
    append(words, asked.options);
    Compared result;
    const Answer answer = ask(words);
    words[2] = "rtl:design.sv";
    result.command = fmt::format("cat > design.sv <<'END'\n{}END\n  {}", text, command_line(words));
    if (answer.status == 2) return result; // refused, with a sentence
    const nlohmann::json said = answer.json();
    const std::string verdict = said.at("verdict");
    if (verdict == "unknown") return result;
    result.claims = 1;
    // What is shown first: then all inputs, and some in another order.
    std::vector<InputBuffer> vectors;
    std::size_t first = 0;
    if (verdict == "different") {
        for (const auto& vector : said.contains("sequence") ? said["sequence"] : said.at("vectors"))
            vectors.push_back(inputs_of(unit, vector));
        first = vectors.size();
    } else {
        std::vector<InputBuffer> all;
        AllInputs(unit, most_bits).for_each([&](const Inputs& x) {
            InputBuffer buffer;
            buffer.a.assign(x.a.begin(), x.a.end());
            buffer.b.assign(x.b.begin(), x.b.end());
            buffer.sa.assign(x.sa.begin(), x.sa.end());
            buffer.sb.assign(x.sb.begin(), x.sb.end());
            buffer.c = x.c;
            all.push_back(std::move(buffer));
            return true;
        });
        // Other orders: operations that are near each other, and any.
        Random random(all.size());
        vectors = all;
        for (std::size_t i = 0; i < streamed; ++i) {
            const auto any = static_cast<std::size_t>(random.below(static_cast<int>(all.size())));
            vectors.push_back(random.one_in(4) ? vectors.back() : all[any]);
        }
    }
    const std::vector<std::string> shown = simulated(unit, timing, vectors, design);
    if (shown.empty()) {
        result.claims = 0;
        return result;
    }
    bool differs = false;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        const Inputs x = vectors[i].inputs();
        const std::uint64_t d = evaluate_exactly(unit, x);
        const bool is_number = shown[i].find_first_not_of("01") == std::string::npos;
        const bool same = is_number && same_result(unit, d, std::stoull(shown[i], nullptr, 2));
        differs = differs || (is_number && !same);
        if (verdict != "equivalent" || same) continue;
        result.wrong =
            fmt::format("said to be the same; but vector {} of the stream, {}, gives {} and in simulation {}", i,
                        as_options(unit, x), digits(d, result_width(unit)), shown[i]);
        return result;
    }
    if (first > 0 && !differs) result.wrong = "said to differ on vectors on which a simulator gives the same results";
    return result;
}

std::string missing() {
    for (const char* const program : {"yosys", "iverilog"})
        if (!is_program(program)) return std::string(program) + " is not installed";
    return "";
}

} // namespace

Kind designs() {
    return {"rtl",
            "a small design in Verilog is the unit, or differs (prove rtl:), against simulation on all inputs",
            drawn_rtl,
            compared_rtl,
            simpler_design,
            missing};
}

} // namespace discern::claims
