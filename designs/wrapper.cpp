// The ports of the design one after the other, each connected to what the mapping says.
#include "wrapper.hpp"

#include "models/error.hpp"
#include "models/format.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace discern::rtl {

namespace {

bool is_identifier(const std::string& name) {
    const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    return !name.empty() && letter(name.front()) && std::all_of(name.begin(), name.end(), [&](char c) {
        return letter(c) || c == '$' || std::isdigit(static_cast<unsigned char>(c)) != 0;
    });
}

/// A name of the source, as it has to be written.
std::string written(const std::string& name) { return is_identifier(name) ? name : "\\" + name + " "; }

std::string joined(const std::vector<std::string>& parts, const char* by) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : by) + part;
    return text;
}

/// What stands for patterns of an operand that lie one after the other.
std::string part_of(const std::vector<Pattern>& patterns) {
    const Pattern& first = patterns.front();
    if (first.operand == "c" || first.operand == "d") return first.operand;
    const int low = first.index * first.width;
    return sentence(first.operand, "[", low + static_cast<int>(patterns.size()) * first.width - 1, ":", low, "]");
}

std::string on_port(const PortUse& use) {
    switch (use.kind) {
    case PortUse::Kind::operands: return part_of(use.patterns);
    case PortUse::Kind::clock: return "clk";
    case PortUse::Kind::reset: return use.value.front() ? "rst" : "~rst";
    case PortUse::Kind::valid:
    case PortUse::Kind::ready:
    case PortUse::Kind::constant: break;
    }
    std::string digits;
    for (const bool bit : use.value) digits.insert(digits.begin(), bit ? '1' : '0');
    return sentence(use.value.size(), "'b", digits);
}

} // namespace

std::string wrapper(const DesignQuestion& question, const Sources& sources, const std::string& name,
                    const std::string& comment) {
    const Design& design = question.design;
    if (!is_identifier(name)) throw Error(sentence("--name: ", excerpt(name), " is no name of a module"));
    if (name == design.top)
        throw Error(sentence("--name: the design's module is called ", excerpt(name),
                             "; the one around it needs another name"));
    if (question.connection.state)
        throw Error("rtl wrap: with --state c is on no port, and a unit's module has one for it");
    if (question.connection.handshake)
        throw Error("rtl wrap: with --valid the ports of the handshake are none of a unit");
    const Shape shape = shape_of(question.unit);
    std::vector<std::string> ports;
    const auto port = [&](const char* direction, const char* operand, int width) {
        ports.push_back(sentence("    ", direction, " wire [", width - 1, ":0] ", operand));
    };
    if (question.connection.has_clock) ports.emplace_back("    input wire clk");
    if (question.connection.has_reset) ports.emplace_back("    input wire rst");
    port("input", "a", shape.K * format(shape.a).width);
    port("input", "b", shape.K * format(shape.b).width);
    if (shape.scale)
        for (const char* const scale : {"sa", "sb"})
            port("input", scale, shape.scales() * format(shape.scale->format).width);
    if (shape.c) port("input", "c", format(*shape.c).width);
    port("output", "d", format(shape.d).width);

    std::vector<std::string> parameters, connections;
    for (const auto& [parameter, value] : sources.parameters)
        parameters.push_back(sentence(".", written(parameter), "(", value, ")"));
    for (const Port& of : design.ports) {
        std::string what;
        if (const auto input = question.connection.inputs.find(of.name); input != question.connection.inputs.end())
            what = on_port(input->second);
        else if (std::any_of(question.connection.outputs.begin(), question.connection.outputs.end(),
                             [&](const auto& output) { return output.first == of.name; }))
            what = "d";
        connections.push_back(sentence("        .", written(of.name), "(", what, ")"));
    }
    return sentence("// ", comment, "\nmodule ", name, " (\n", joined(ports, ",\n"), "\n);\n    ", written(design.top),
                    " ", parameters.empty() ? "" : "#(" + joined(parameters, ", ") + ") ", "wrapped (\n",
                    joined(connections, ",\n"), "\n    );\nendmodule\n");
}

} // namespace discern::rtl
