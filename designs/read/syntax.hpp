// The syntax tree of a design as yosys prints it (`read_verilog -dump_ast1`): one node a line, indented.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace discern::rtl {

/// Lines and columns from 1; the end is behind the last character. All 0 where there is no text.
struct Span {
    int line = 0, column = 0, end_line = 0, end_column = 0;
};

struct SyntaxNode {
    std::string kind; ///< "ASSIGN_EQ", without AST_
    std::string name; ///< "\a"
    std::string more; ///< what else the line says: "output reg port=3"
    int line = 0;     ///< of the file; 0: that of what it is part of
    Span span = {};   ///< where yosys says it
    std::string file; ///< of a module
    std::vector<SyntaxNode> parts;

    bool is(std::string_view of) const { return kind == of; }
};

/// The modules (and packages) of the dump.
std::vector<SyntaxNode> read_syntax(const std::string& dump);

/// Calls visit(node) for the node and all its parts; those of one for which it returns false are left out.
template <typename Visit>
void each(const SyntaxNode& node, const Visit& visit) {
    if (!visit(node)) return;
    for (const SyntaxNode& part : node.parts) each(part, visit);
}

} // namespace discern::rtl
