// Parses the lines of the dump by their indentation.
#include "syntax.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

namespace discern::rtl {

namespace {

/// Of "<f.sv:12.3-14.5>".
Span span_in(const std::string& text) {
    Span span;
    const auto end = text.find('>');
    const auto colon = text.rfind(':', end);
    if (end == std::string::npos || colon == std::string::npos) return span;
    const char* at = text.data() + colon;
    for (int* const number : {&span.line, &span.column, &span.end_line, &span.end_column}) {
        if (at >= text.data() + end) break;
        at = std::from_chars(at + 1, text.data() + end, *number).ptr;
    }
    return span;
}

/// The file of the same.
std::string file_in(const std::string& text) {
    const auto begin = text.find('<');
    return begin == std::string::npos ? "" : text.substr(begin + 1, text.rfind(':', text.find('>')) - begin - 1);
}

SyntaxNode node_in(const std::string& text) {
    SyntaxNode node;
    const auto end = text.find(' ');
    node.kind = text.substr(4, end - 4);
    node.span = span_in(text);
    node.line = node.span.line;
    if (node.kind == "MODULE") node.file = file_in(text);
    const auto rest = text.find('>');
    if (rest == std::string::npos) return node;
    node.more = text.substr(rest + 1);
    if (const auto name = node.more.find("str='"); name != std::string::npos) {
        const auto quote = node.more.find('\'', name + 5);
        node.name = node.more.substr(name + 5, quote - name - 5);
    }
    return node;
}

void give_lines(SyntaxNode& node) {
    for (SyntaxNode& part : node.parts) {
        if (part.line == 0) part.line = node.line;
        give_lines(part);
    }
}

} // namespace

std::vector<SyntaxNode> read_syntax(const std::string& dump) {
    std::vector<SyntaxNode> modules;
    std::vector<std::pair<std::size_t, SyntaxNode*>> path; // with their indents
    std::istringstream in(dump);
    std::size_t attribute = std::string::npos; // its indent: what belongs to it is passed over
    for (std::string line; std::getline(in, line);) {
        const auto indent = line.find_first_not_of(' ');
        if (indent == std::string::npos || indent < 4) continue;
        if (attribute != std::string::npos && indent > attribute) continue;
        attribute = std::string::npos;
        const std::string text = line.substr(indent);
        if (text.starts_with("ATTR ")) {
            if (!path.empty()) path.back().second->more += " " + text;
            attribute = indent;
            continue;
        }
        if (!text.starts_with("AST_")) continue;
        while (!path.empty() && path.back().first >= indent) path.pop_back();
        std::vector<SyntaxNode>& into = path.empty() ? modules : path.back().second->parts;
        into.push_back(node_in(text));
        path.emplace_back(indent, &into.back());
    }
    for (SyntaxNode& module : modules) give_lines(module);
    return modules;
}

bool of_operands(const SyntaxNode& x, const std::function<bool(const SyntaxNode&)>& has_it) {
    static const std::set<std::string> of_all = {"ADD",    "SUB",     "MUL",      "DIV", "MOD", "BIT_AND",
                                                 "BIT_OR", "BIT_XOR", "BIT_XNOR", "NEG", "POS", "BIT_NOT"};
    static const std::set<std::string> of_first = {"SHIFT_LEFT", "SHIFT_RIGHT", "SHIFT_SLEFT", "SHIFT_SRIGHT", "POW"};
    if (of_first.contains(x.kind)) return !x.parts.empty() && has_it(x.parts.front());
    if (x.is("TERNARY")) return x.parts.size() == 3 && has_it(x.parts[1]) && has_it(x.parts[2]);
    return of_all.contains(x.kind) && std::ranges::all_of(x.parts, has_it);
}

} // namespace discern::rtl
