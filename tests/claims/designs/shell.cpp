#include "shell.hpp"

#include "claims/draw.hpp"
#include "verilog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace discern::claims {

namespace {

struct PartKind {
    const char* name;
    /// Between the declarations of all parts and `y`. A word in braces is a mistake: 0, or the condition on which it
    /// shows. {edges} is that of the part, {E} what a register with a reset waits for.
    const char* text;
};

/// Of all parts: `o` is what leaves it, `stays` says that it takes nothing any more.
constexpr const char* head =
    "module {M}(input wire clk, input wire rst, input wire iv, output wire ir, input wire [{W}:0] x,\n"
    "    output wire ov, input wire orr, output wire [{W}:0] y);\n"
    "  wire [{W}:0] o;\n  reg stays;\n  reg [1:0] waited, count;\n"
    "  always @({E}) if (rst) begin stays <= 0; waited <= 0; count <= 0; end else begin\n"
    "    stays <= stays || ({stuck}); count <= count + (iv && ir);\n"
    "    waited <= !(ov && !orr) ? 0 : waited == 3 ? 3 : waited + 1; end\n"
    "  assign y = ({flipped}) && !orr ? ~o : ({wrong}) ? o ^ 1 : o;\n";

const std::vector<PartKind> part_kinds = {
    // A register that takes what comes where it is empty, or is emptied at the same edge.
    {"stage", "  reg v; reg [{W}:0] s; assign o = s;\n"
              "  assign ov = v && !({late}); wire go = !v || (ov && orr); assign ir = go && !stays;\n"
              "  always @({E}) if (rst) v <= 0; else if (go) v <= (iv && ir && !({lost})) || (v && ({doubled}));\n"
              "    else if ({withdrawn}) v <= 0;\n"
              "  always @(posedge clk) if ((iv && ir) || (iv && ({overwritten}))) s <= x;\n"},
    // The same whose ready is a register's: it takes something every second edge at most.
    {"half", "  reg v; reg [{W}:0] s; assign o = s;\n"
             "  assign ov = v && !({late}), ir = !v && !stays;\n"
             "  always @({E}) if (rst) v <= 0; else if (iv && ir) v <= !({lost});\n"
             "    else if (ov && orr) v <= {doubled}; else if ({withdrawn}) v <= 0;\n"
             "  always @(posedge clk) if ((iv && ir) || (iv && ({overwritten}))) s <= x;\n"},
    // A second register for what comes when the first waits: ready is a register's.
    {"skid", "  reg v, k; reg [{W}:0] s, t; assign o = s;\n"
             "  assign ov = v && !({late}), ir = !k && !stays; wire go = !v || (ov && orr);\n"
             "  always @({E}) if (rst) begin v <= 0; k <= 0; end\n"
             "    else if (go) begin v <= k || (iv && ir && !({lost})); k <= k && ({doubled}); end\n"
             "    else if (iv && ir) k <= !({lost}); else if ({withdrawn}) v <= 0;\n"
             "  always @(posedge clk) begin if (go) s <= k && !({swapped}) ? t : x;\n"
             "    if (!go && ((iv && ir) || (iv && ({overwritten})))) t <= x; end\n"},
    {"queue", "  reg head, tail; reg [1:0] n; reg [{W}:0] m0, m1; assign o = tail ? m1 : m0;\n"
              "  assign ov = n != 0 && !({late}), ir = n != 2 && !stays; wire push = iv && ir, pop = ov && orr;\n"
              "  always @({E}) if (rst) begin head <= 0; tail <= 0; n <= 0; end else begin\n"
              "    if (push && !({lost})) head <= !head; if (pop && !({doubled})) tail <= !tail ^ ({swapped});\n"
              "    n <= n + (push && !({lost})) - (pop && !({doubled})); end\n"
              "  always @(posedge clk) if (push || (iv && ({overwritten}))) begin\n"
              "    if (head) m1 <= x; else m0 <= x; end\n"},
    // One operation at a time, which takes as many edges as it says.
    {"iterate", "  reg busy, full; reg [1:0] n; reg [{W}:0] s; assign o = s;\n"
                "  assign ov = full && !({late}), ir = !busy && (!full || (ov && orr && ({early}))) && !stays;\n"
                "  always @({E}) if (rst) begin busy <= 0; full <= 0; n <= 0; end else begin\n"
                "    if (ov && orr) full <= {doubled}; else if ({withdrawn}) full <= 0;\n"
                "    if (iv && ir) begin busy <= !({lost}); n <= {edges}; end\n"
                "    else if (busy && n == 0) begin busy <= 0; full <= 1; end\n"
                "    else if (busy && !({slower})) n <= n - 1; end\n"
                "  always @(posedge clk) if ((iv && ir) || (iv && ({overwritten}))) s <= x;\n"},
    // No register for what passes; nothing passes until some edges after the reset.
    {"gate", "  reg [1:0] n; wire open = n == 0 && !stays && !({late}); assign o = x;\n"
             "  assign ov = iv && open && !({lost}), ir = orr && open;\n"
             "  always @({E}) if (rst) n <= {edges}; else if (n != 0) n <= n - 1;\n"},
};

const PartKind& kind_of(const std::string& name) {
    const auto found = std::ranges::find_if(part_kinds, [&](const PartKind& kind) { return kind.name == name; });
    if (found == part_kinds.end()) throw std::runtime_error("no part of a shell is called " + name);
    return *found;
}

const std::vector<std::string> mistakes = {"stuck",  "flipped",   "wrong",       "late",    "lost", "doubled",
                                           "slower", "withdrawn", "overwritten", "swapped", "early"};

std::vector<std::string> mistakes_of(const PartKind& kind) {
    std::vector<std::string> own;
    const std::string text = std::string(head) + kind.text;
    for (const std::string& one : mistakes)
        if (text.find("{" + one + "}") != std::string::npos) own.push_back(one);
    return own;
}

/// Some bits of a word are a value.
std::string bits_are(Random& random, const std::string& word, int width) {
    const int count = std::min(width, random.between(2, 4));
    const int low = random.below(width - count + 1);
    const int value = random.below(1 << count);
    return fmt::format("{}[{}:{}] == {}", word, low + count - 1, low, value);
}

/// One to three conditions on what is in a part, and on what it has done.
std::string draw_condition(Random& random, int width) {
    std::string all;
    for (int i = random.between(1, 3); i > 0; --i) {
        std::string one;
        switch (random.below(6)) {
        case 0:
        case 1: one = fmt::format("waited == {}", random.between(1, 3)); break;
        case 2: one = fmt::format("count == {}", random.below(4)); break;
        case 3: one = bits_are(random, "x", width); break;
        case 4: one = bits_are(random, "o", width); break;
        default: one = random.one_in(2) ? "iv" : "waited != 0"; break;
        }
        all += (all.empty() ? "" : " && ") + one;
    }
    return all;
}

std::string draw_edges(Random& random, const ShellPart& part, int width) {
    if (part.kind == "gate") return std::to_string(random.below(4));
    if (part.kind != "iterate") return "0";
    switch (random.below(4)) {
    case 0: return std::to_string(random.between(1, 2));
    case 1: return random.one_in(2) ? "count" : "count[0]";
    default: {
        const int low = random.below(std::max(1, width - 1));
        return width == 1 || random.one_in(2) ? fmt::format("x[{}]", low) : fmt::format("x[{}:{}]", low + 1, low);
    }
    }
}

int width_of_operands(const Unit& unit) {
    int width = 0;
    for (const PortWidth& port : operand_ports(unit)) width += port.width;
    return width;
}

} // namespace

std::string Shell::text() const {
    std::string text = fmt::format("{:d}{:d}{:d}\n", low, at_once, is_taken);
    for (const ShellPart& part : parts)
        text += fmt::format("{};{};{};{}\n", part.kind, part.mistake, part.when, part.edges);
    return text;
}

Shell Shell::of(const std::string& text) {
    Shell shell;
    std::istringstream in(text);
    std::string line;
    std::getline(in, line);
    shell.low = line.at(0) == '1';
    shell.at_once = line.at(1) == '1';
    shell.is_taken = line.at(2) == '1';
    while (std::getline(in, line)) {
        std::istringstream words(line);
        ShellPart part;
        for (std::string* word : {&part.kind, &part.mistake, &part.when, &part.edges}) std::getline(words, *word, ';');
        if (part.kind != "unit") kind_of(part.kind);
        shell.parts.push_back(std::move(part));
    }
    return shell;
}

std::vector<std::string> Shell::options(int cycles) const {
    return {"--clock clk", low ? "--reset rst=0" : "--reset rst", fmt::format("--cycles {}", cycles), "--valid iv,ov",
            is_taken ? "--ready ir,-" : "--ready ir,orr"};
}

std::string Shell::verilog(const Unit& unit) const {
    std::string modules, body, ports, pins, words;
    for (const PortWidth& port : operand_ports(unit)) {
        ports += fmt::format("input wire [{}:0] {}, ", port.width - 1, port.name);
        words += (words.empty() ? "" : ", ") + port.name;
    }
    int width = width_of_operands(unit);
    body = fmt::format("  wire [{}:0] w0 = {{{}}}; wire v0 = iv; wire r0; assign ir = r0;\n", width - 1, words);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const ShellPart& part = parts[i];
        if (part.kind == "unit") {
            int high = width;
            for (const PortWidth& port : operand_ports(unit)) {
                pins += fmt::format(".{}(w{}[{}:{}]), ", port.name, i, high - 1, high - port.width);
                high -= port.width;
            }
            width = result_width(unit);
            body += fmt::format("  wire [{0}:0] w{1}; wire v{1} = v{2}; wire r{1}; assign r{2} = r{1};\n"
                                "  discern_unit inner({3}.d(w{1}));\n",
                                width - 1, i + 1, i, pins);
            continue;
        }
        std::string text = std::string(head) + kind_of(part.kind).text + "endmodule\n";
        for (const std::string& one : mistakes)
            replace_all(text, "{" + one + "}", one == part.mistake ? part.when : "1'b0");
        replace_all(text, "{edges}", part.edges);
        replace_all(text, "{M}", fmt::format("part{}", i));
        replace_all(text, "{W}", std::to_string(width - 1));
        replace_all(text, "{E}", at_once ? "posedge clk or posedge rst" : "posedge clk");
        modules += text;
        body += fmt::format("  wire [{0}:0] w{1}; wire v{1}, r{1};\n  part{2} p{2}(.clk(clk), .rst(reset), .iv(v{2}), "
                            ".ir(r{2}), .x(w{2}), .ov(v{1}), .orr(r{1}), .y(w{1}));\n",
                            width - 1, i + 1, i);
    }
    return modules +
           fmt::format("module unit(input wire clk, input wire rst, input wire iv, output wire ir, {}output wire ov, "
                       "{}output wire [{}:0] d);\n  wire reset = {};\n{}"
                       "  assign ov = v{}, d = w{}, r{} = {};\nendmodule\n",
                       ports, is_taken ? "" : "input wire orr, ", width - 1, low ? "!rst" : "rst", body, parts.size(),
                       parts.size(), parts.size(), is_taken ? "1'b1" : "orr");
}

Shell Shell::without_mistake() const {
    Shell right = *this;
    for (ShellPart& part : right.parts)
        if (part.mistake != "early") part.mistake.clear();
    return right;
}

Shell draw_shell(Random& random, const Unit& unit) {
    Shell shell;
    shell.low = random.one_in(3);
    shell.at_once = random.one_in(3);
    shell.is_taken = random.one_in(8);
    const int count = random.between(1, 3);
    const int before = random.below(count + 1);
    for (int i = 0; i <= count; ++i) {
        ShellPart part;
        if (i == before) {
            part.kind = "unit";
            shell.parts.push_back(std::move(part));
            continue;
        }
        const int width = i < before ? width_of_operands(unit) : result_width(unit);
        part.kind = any_of(random, part_kinds).name;
        part.edges = draw_edges(random, part, width);
        if (part.kind == "iterate" && random.one_in(2)) {
            part.mistake = "early";
            part.when = "1'b1";
        }
        shell.parts.push_back(std::move(part));
    }
    if (random.one_in(2)) {
        const int wrong = (before + random.between(1, count)) % (count + 1);
        ShellPart& part = shell.parts[static_cast<std::size_t>(wrong)];
        part.mistake = any_of(random, mistakes_of(kind_of(part.kind)));
        part.when = draw_condition(random, wrong < before ? width_of_operands(unit) : result_width(unit));
    }
    return shell;
}

} // namespace discern::claims
