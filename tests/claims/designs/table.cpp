// Tables, and gates that are changed.
#include "verilog.hpp"

#include "claims/draw.hpp"
#include "claims/inputs.hpp"

#include "models/evaluate.hpp"
#include "models/format.hpp"

#include <fmt/format.h>

#include <array>

namespace discern::claims {

std::vector<PortWidth> operand_ports(const Unit& unit) {
    std::vector<PortWidth> ports = {{"a", unit.K * format(unit.a).width}, {"b", unit.K * format(unit.b).width}};
    if (unit.scale) {
        const int width = unit.scales() * format(unit.scale->format).width;
        ports.push_back({"sa", width});
        ports.push_back({"sb", width});
    }
    if (unit.c) ports.push_back({"c", format(*unit.c).width});
    return ports;
}

int result_width(const Unit& unit) { return format(unit.d).width; }

std::string draw_table(Random& random, const Unit& unit) {
    std::string ports, all;
    for (const PortWidth& port : operand_ports(unit)) {
        ports += fmt::format("input wire [{}:0] {}, ", port.width - 1, port.name);
        all += (all.empty() ? "" : ", ") + port.name;
    }
    const int width = result_width(unit);
    struct Row {
        std::string key, value;
    };
    std::vector<Row> rows;
    Evaluator evaluate(unit);
    const auto digits = [](std::uint64_t value, int n) {
        std::string text;
        for (int i = n; i-- > 0;) text += ((value >> i) & 1) != 0 ? '1' : '0';
        return text;
    };
    AllInputs(unit).for_each([&](const Inputs& inputs) {
        Row row;
        const auto add = [&](std::span<const std::uint64_t> patterns, FormatId id) {
            std::string word;
            for (const std::uint64_t x : patterns) word.insert(0, digits(x, format(id).width));
            row.key += word;
        };
        add(inputs.a, unit.a);
        add(inputs.b, unit.b);
        if (unit.scale) {
            add(inputs.sa, unit.scale->format);
            add(inputs.sb, unit.scale->format);
        }
        if (unit.c) add(std::span(&inputs.c, 1), *unit.c);
        row.value = digits(evaluate(inputs), width);
        rows.push_back(std::move(row));
        return true;
    });
    std::string keyword = "case", note, last;
    // One that is left out, wrong, or has places that do not matter.
    const auto which = static_cast<std::size_t>(random.below(static_cast<int>(rows.size())));
    const int how = random.below(8);
    if (how == 0) rows[which].value.back() = rows[which].value.back() == '1' ? '0' : '1';
    if (how == 1) rows[which].value[0] = 'x';
    if (how == 2) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(which));
    if (how == 3 || how == 4) {
        keyword = how == 3 ? "casez" : "casex";
        rows[which].key[static_cast<std::size_t>(random.below(static_cast<int>(rows[which].key.size())))] =
            how == 3 ? '?' : 'x';
    }
    switch (random.below(5)) {
    case 0: note = " // synopsys full_case"; break;
    case 1: note = " // synopsys full_case parallel_case"; break;
    case 2: last = fmt::format("    default: t = {}'bx;\n", width); break;
    case 3: last = fmt::format("    default: t = {}'b{};\n", width, rows.front().value); break;
    default: break;
    }
    std::string text = fmt::format("module discern_unit({}output wire [{}:0] d);\n  reg [{}:0] t;\n  always @*\n",
                                   ports, width - 1, width - 1);
    text += fmt::format("    {} ({{{}}}){}\n", keyword, all, note);
    for (const Row& row : rows)
        text += fmt::format("    {}'b{}: t = {}'b{};\n", row.key.size(), row.key, width, row.value);
    return text + last + "    endcase\n  assign d = t;\nendmodule\n";
}

std::string with_mutant(Random& random, std::string text) {
    static constexpr auto changes = std::to_array<std::pair<const char*, const char*>>({
        {" + ", " - "},   {" + ", " | "},    {" & ", " | "},   {" | ", " & "},      {" | ", " ^ "},
        {" ^ ", " | "},   {" < ", " <= "},   {" == ", " != "}, {" ? ", " == 0 ? "}, {"~", ""},
        {" << ", " >> "}, {" >> ", " >>> "}, {"1'b0", "1'b1"}, {"1'd0", "1'd1"},    {"'h0", "'h1"},
        {"'h1", "'h0"},   {" * ", " + "},    {":0]", ":1]"},   {"{2'd0", "{2'd1"},  {" && ", " || "},
    });
    for (int tries = 0; tries < 20; ++tries) {
        const auto& [from, to] = changes[static_cast<std::size_t>(random.below(static_cast<int>(changes.size())))];
        std::vector<std::size_t> places;
        for (auto at = text.find(from, text.find("output wire")); at != std::string::npos;
             at = text.find(from, at + 1)) {
            const auto line = text.rfind('\n', at);
            const auto comment = text.find("//", line == std::string::npos ? 0 : line);
            if (comment == std::string::npos || comment > at) places.push_back(at);
        }
        if (places.empty()) continue;
        text.replace(any_of(random, places), std::string(from).size(), to);
        return text;
    }
    return text;
}

} // namespace discern::claims
