// The syntax tree of a design as yosys prints it (`read_verilog -dump_ast1`): one node a line, indented.
#pragma once

#include <functional>
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

/// Whether an expression of constants has what those of its operands have that decide on its sign and its width: of a
/// shift and a power that is the first one. False for what is no operator.
bool of_operands(const SyntaxNode& x, const std::function<bool(const SyntaxNode&)>& has_it);

/// Calls visit(node) for the node and all its parts.
template <typename Visit>
void each(const SyntaxNode& node, const Visit& visit) {
    visit(node);
    for (const SyntaxNode& part : node.parts) each(part, visit);
}

} // namespace discern::rtl
