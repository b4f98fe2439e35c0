// Statements and expressions one by one; what is no signal (parameters, enumerations) is left out.
#include "slang_syntax.hpp"

#include "reader.hpp"

#include "models/unit/sentence.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <set>

namespace discern::rtl {

namespace {

using nlohmann::json;

std::string text(const json& node, const char* key) {
    const auto found = node.find(key);
    return found != node.end() && found->is_string() ? found->get<std::string>() : "";
}
const json& child(const json& node, const char* key) {
    static const json none;
    const auto found = node.find(key);
    return found == node.end() ? none : *found;
}
std::string kind_of(const json& node) { return node.is_object() ? text(node, "kind") : ""; }
bool is(const json& node, const char* kind) { return kind_of(node) == kind; }
bool ends_with(const std::string& kind, std::string_view end) { return kind.ends_with(end); }

/// "16553448 f", as expressions refer to it.
std::string symbol_of(const json& declared) {
    return std::to_string(child(declared, "addr").get<std::uint64_t>()) + " " + text(declared, "name");
}

/// All objects of a tree.
void each_object(const json& node, const std::function<void(const json&)>& visit) {
    if (node.is_object()) visit(node);
    if (node.is_structured())
        for (const json& part : node) each_object(part, visit);
}

SyntaxNode made(std::string kind, std::vector<SyntaxNode> parts = {}, std::string name = {}) {
    SyntaxNode node;
    node.kind = std::move(kind);
    node.name = std::move(name);
    node.parts = std::move(parts);
    return node;
}

/// What all modules refer to.
struct Symbols {
    std::set<std::string> constants;              ///< parameters, enumerations, variables of generate loops
    std::map<std::string, const json*> variables; ///< to their declarations
    std::map<std::string, const json*> subroutines;
    std::map<std::string, std::string> results;    ///< the variable of a function's result, to the function
    std::map<std::string, std::string> directions; ///< of ports, by the net or variable behind them
    std::set<std::string> from_outside;            ///< by hierarchical names

    explicit Symbols(const json& root) {
        each_object(root, [&](const json& node) {
            const std::string kind = kind_of(node);
            if (kind == "HierarchicalValue") from_outside.insert(text(node, "symbol"));
            if (kind == "Port" && node.contains("internalSymbol"))
                directions[text(node, "internalSymbol")] = text(node, "direction");
            if (!node.contains("addr") || !child(node, "addr").is_number_unsigned()) return;
            if (kind == "Parameter" || kind == "EnumValue" || kind == "Genvar" || kind == "Iterator" ||
                kind == "Specparam")
                constants.insert(symbol_of(node));
            if (kind == "Variable" || kind == "Net" || kind == "FormalArgument") variables[symbol_of(node)] = &node;
            if (kind != "Subroutine") return;
            subroutines[symbol_of(node)] = &node;
            for (const json& member : child(node, "members"))
                if (text(member, "flags").find("compiler_generated") != std::string::npos &&
                    text(member, "name") == text(node, "name"))
                    results[symbol_of(member)] = symbol_of(node);
        });
    }
};

class Translation {
  public:
    Translation(const json& root, SlangSyntax& out) : symbols_(root), out_(out) {
        for (const json& member : child(root, "members"))
            if (is(member, "Instance")) {
                out_.top = text(child(member, "body"), "name");
                module(member);
            }
    }

  private:
    // ---- modules

    void module(const json& instance) {
        const json& body = child(instance, "body");
        SyntaxNode node = made("MODULE", {}, "\\" + text(body, "name"));
        const auto outer = std::move(called_);
        called_.clear();
        const std::string of = std::move(module_);
        module_ = node.name;
        std::vector<const json*> within;
        members(body, node, within);
        SyntaxNode seen = made("CELL");
        for (const std::string& symbol : symbols_.from_outside)
            seen.parts.push_back(made("ARGUMENT", {made("IDENTIFIER", {}, name(symbol))}));
        node.parts.push_back(std::move(seen));
        std::set<std::string> done;
        for (bool more = true; more;) { // functions that functions call
            more = false;
            for (const std::string& symbol : std::set<std::string>(called_))
                if (done.insert(symbol).second) {
                    more = true;
                    node.parts.push_back(subroutine(*symbols_.subroutines.at(symbol)));
                }
        }
        out_.modules.push_back(std::move(node));
        for (const json* const inner : within) module(*inner);
        called_ = outer;
        module_ = of;
    }

    void members(const json& body, SyntaxNode& into, std::vector<const json*>& within) {
        for (const json& member : child(body, "members")) {
            const std::string kind = kind_of(member);
            if (kind == "GenerateBlock" || kind == "GenerateBlockArray" || kind == "InstanceArray") {
                if (!child(member, "isUninstantiated").is_boolean() || !child(member, "isUninstantiated").get<bool>())
                    members(member, into, within);
            } else if (kind == "Instance") {
                into.parts.push_back(cell(member));
                within.push_back(&member);
            } else if (kind == "ContinuousAssign") {
                const json& assignment = child(member, "assignment");
                delay(member, "delay");
                into.parts.push_back(
                    made("ASSIGN", {target(child(assignment, "left")), value(child(assignment, "right"))}));
            } else if (kind == "Net" || kind == "Variable") {
                declared(member, into, kind == "Net");
            } else if (kind == "ProceduralBlock") {
                process(member, into);
            } else if (kind == "PrimitiveInstance") {
                delay(member, "delay");
                primitive(member, into);
            } else if (kind == "SpecifyBlock") {
                hazard(Construct::specify);
            }
        }
    }

    void declared(const json& member, SyntaxNode& into, bool is_net) {
        SyntaxNode wire = made("WIRE", {}, name(symbol_of(member)));
        if (const auto direction = symbols_.directions.find(symbol_of(member)); direction != symbols_.directions.end())
            wire.more = direction->second == "In" ? " input" : " output";
        into.parts.push_back(wire);
        delay(member, "delay");
        if (!member.contains("initializer")) return;
        std::vector<SyntaxNode> parts = {made("IDENTIFIER", {}, wire.name), value(child(member, "initializer"))};
        if (is_net)
            into.parts.push_back(made("ASSIGN", std::move(parts)));
        else
            into.parts.push_back(made("INITIAL", {made("ASSIGN_EQ", std::move(parts))}));
    }

    SyntaxNode cell(const json& instance) {
        SyntaxNode node = made("CELL", {made("CELLTYPE", {}, "\\" + text(child(instance, "body"), "name"))});
        for (const json& connection : child(instance, "connections"))
            if (text(child(connection, "port"), "direction") != "Out")
                node.parts.push_back(made("ARGUMENT", {value(child(connection, "expr"))}));
        return node;
    }

    void primitive(const json& member, SyntaxNode& into) {
        std::vector<SyntaxNode> parts;
        for (const json& port : child(member, "ports")) {
            const bool is_output = is(port, "Assignment");
            parts.insert(is_output ? parts.begin() : parts.end(),
                         is_output ? target(child(port, "left")) : value(port));
        }
        into.parts.push_back(made("ASSIGN", std::move(parts)));
    }

    void process(const json& member, SyntaxNode& into) {
        const std::string kind = text(member, "procedureKind");
        if (kind == "Final") return;
        if (kind == "Initial") return initial(child(member, "body"), into);
        SyntaxNode node = made("ALWAYS");
        if (kind != "Always") node.more = " always_";
        const json* body = &child(member, "body");
        if (is(*body, "Timed")) {
            edges(child(*body, "timing"), node);
            body = &child(*body, "stmt");
        }
        node.parts.push_back(block(*body));
        into.parts.push_back(std::move(node));
    }

    /// What it computes counts; its delays, and what is for simulation alone, do not.
    void initial(const json& body, SyntaxNode& into) {
        const std::size_t before = out_.hazards.size();
        try {
            into.parts.push_back(made("INITIAL", {block(body)}));
        } catch (const CannotRead&) { // a statement that synthesis does not take
        }
        out_.hazards.erase(out_.hazards.begin() + static_cast<std::ptrdiff_t>(before), out_.hazards.end());
    }

    void edges(const json& timing, SyntaxNode& into) {
        const std::string kind = kind_of(timing);
        if (kind == "EventList")
            for (const json& event : child(timing, "events")) edges(event, into);
        else if (kind == "SignalEvent") {
            const std::string edge = text(timing, "edge");
            into.parts.push_back(made(edge == "PosEdge"   ? "POSEDGE"
                                      : edge == "NegEdge" ? "NEGEDGE"
                                                          : "EDGE",
                                      {value(child(timing, "expr"))}));
        } else if (kind != "ImplicitEvent")
            hazard(Construct::delay);
    }

    SyntaxNode subroutine(const json& declared) {
        SyntaxNode node =
            made(text(declared, "subroutineKind") == "Task" ? "TASK" : "FUNCTION", {}, name(symbol_of(declared)));
        for (const json& member : child(declared, "arguments")) {
            SyntaxNode wire = made("WIRE", {}, name(symbol_of(member)));
            const std::string direction = text(member, "direction");
            wire.more = direction == "Out"     ? " output port=1"
                        : direction == "InOut" ? " input output port=1"
                                               : " input port=1";
            node.parts.push_back(wire);
        }
        if (text(declared, "returnType") != "void") node.parts.push_back(made("WIRE", {}, node.name));
        result_ = node.name;
        node.parts.push_back(block(child(declared, "body")));
        return node;
    }

    // ---- statements

    SyntaxNode block(const json& statement_of) {
        SyntaxNode node = made("BLOCK");
        statement(statement_of, node);
        return node;
    }

    void statement(const json& what, SyntaxNode& into) {
        const std::string kind = kind_of(what);
        if (kind == "List") {
            for (const json& part : child(what, "list")) statement(part, into);
        } else if (kind == "Block") {
            if (text(what, "blockKind") != "Sequential") hazard(Construct::fork);
            into.parts.push_back(block(child(what, "body")));
        } else if (kind == "ExpressionStatement") {
            expression_statement(child(what, "expr"), into);
        } else if (kind == "VariableDeclaration") {
            variable(text(what, "symbol"), into);
        } else if (kind == "Conditional") {
            conditional(what, into);
        } else if (kind == "Case") {
            choice(what, into);
        } else if (kind == "ForLoop") {
            loop(what, into);
        } else if (kind == "WhileLoop" || kind == "DoWhileLoop" || kind == "RepeatLoop") {
            const json& condition = child(what, kind == "RepeatLoop" ? "count" : "cond");
            into.parts.push_back(
                made("FOR", {made("BLOCK"), value(condition), made("BLOCK"), block(child(what, "body"))}));
        } else if (kind == "ForeachLoop") {
            into.parts.push_back(
                made("FOR", {made("BLOCK"), made("CONSTANT"), made("BLOCK"), block(child(what, "body"))}));
        } else if (kind == "Return") {
            if (what.contains("expr"))
                into.parts.push_back(made("ASSIGN_EQ", {made("IDENTIFIER", {}, result_), value(child(what, "expr"))}));
            into.parts.push_back(made("RETURN"));
        } else if (kind == "Break" || kind == "Continue") {
            into.parts.push_back(made("BREAK"));
        } else if (kind == "Timed" || kind == "Wait" || kind == "WaitFork" || kind == "WaitOrder") {
            hazard(Construct::event_within);
        } else if (kind != "Empty" && kind != "ImmediateAssertion" && kind != "ConcurrentAssertion") {
            throw CannotRead(sentence("slang's tree has a statement ", excerpt(kind), " in module ", excerpt(module_),
                                      ", which is not known"));
        }
    }

    void expression_statement(const json& what, SyntaxNode& into) {
        const std::string kind = kind_of(what);
        if (kind == "Assignment")
            assignment(what, into);
        else if (kind == "UnaryOp" && ends_with(text(what, "op"), "crement"))
            into.parts.push_back(made("ASSIGN_EQ", {target(child(what, "operand")), value(child(what, "operand"))}));
        else if (kind == "Call")
            into.parts.push_back(call(what, "TCALL"));
        else if (kind == "Conversion") // of a result that is not used
            expression_statement(child(what, "operand"), into);
        else
            into.parts.push_back(made("EXPRESSION", {value(what)}));
    }

    void assignment(const json& what, SyntaxNode& into) {
        if (what.contains("timingControl")) hazard(Construct::delay);
        const bool waits = child(what, "isNonBlocking").is_boolean() && child(what, "isNonBlocking").get<bool>();
        const json& left = child(what, "left");
        std::vector<SyntaxNode> parts = {target(left), value(child(what, "right"))};
        if (what.contains("op")) parts.push_back(value(left)); // as of +=
        if (!waits && is(left, "HierarchicalValue")) hazard(Construct::other_module);
        into.parts.push_back(made(waits ? "ASSIGN_LE" : "ASSIGN_EQ", std::move(parts)));
    }

    void variable(const std::string& symbol, SyntaxNode& into) {
        into.parts.push_back(made("WIRE", {}, name(symbol)));
        const auto found = symbols_.variables.find(symbol);
        if (found == symbols_.variables.end() || !found->second->contains("initializer")) return;
        if (text(*found->second, "lifetime") == "Automatic")
            into.parts.push_back(
                made("ASSIGN_EQ", {made("IDENTIFIER", {}, name(symbol)), value(child(*found->second, "initializer"))}));
    }

    void conditional(const json& what, SyntaxNode& into) {
        SyntaxNode condition = made("REDUCE_BOOL");
        for (const json& of : child(what, "conditions")) condition.parts.push_back(value(child(of, "expr")));
        SyntaxNode node = made("CASE", {std::move(condition)});
        node.parts.push_back(made("COND", {made("CONSTANT"), block(child(what, "ifTrue"))}));
        if (what.contains("ifFalse"))
            node.parts.push_back(made("COND", {made("DEFAULT"), block(child(what, "ifFalse"))}));
        into.parts.push_back(std::move(node));
    }

    void choice(const json& what, SyntaxNode& into) {
        SyntaxNode node = made("CASE", {made("EXPRESSION", {value(child(what, "expr"))})});
        for (const json& item : child(what, "items")) {
            SyntaxNode branch = made("COND");
            for (const json& of : child(item, "expressions")) branch.parts.push_back(value(of));
            branch.parts.push_back(block(child(item, "stmt")));
            node.parts.push_back(std::move(branch));
        }
        if (what.contains("defaultCase"))
            node.parts.push_back(made("COND", {made("DEFAULT"), block(child(what, "defaultCase"))}));
        into.parts.push_back(std::move(node));
    }

    void loop(const json& what, SyntaxNode& into) {
        SyntaxNode first = made("BLOCK"), steps = made("BLOCK");
        for (const json& of : child(what, "initializers")) expression_statement(of, first);
        for (const json& of : child(what, "loopVars")) {
            first.parts.push_back(made("WIRE", {}, name(symbol_of(of))));
            first.parts.push_back(
                made("ASSIGN_EQ", {made("IDENTIFIER", {}, name(symbol_of(of))), value(child(of, "initializer"))}));
        }
        for (const json& of : child(what, "steps")) expression_statement(of, steps);
        if (first.parts.size() == 1) first = SyntaxNode(first.parts.front()); // so that its variable is known as one
        into.parts.push_back(made(
            "FOR", {std::move(first), value(child(what, "stopExpr")), std::move(steps), block(child(what, "body"))}));
    }

    // ---- expressions

    SyntaxNode call(const json& what, const char* kind) {
        const std::string symbol = text(what, "subroutine");
        const auto found = symbols_.subroutines.find(symbol);
        const bool is_known = found != symbols_.subroutines.end();
        if (is_known) called_.insert(symbol);
        SyntaxNode node = made(kind, {}, is_known ? name(symbol) : "$" + symbol);
        for (const json& argument : child(what, "arguments"))
            node.parts.push_back(is(argument, "Assignment") ? target(child(argument, "left")) : value(argument));
        return node;
    }

    /// What an expression reads.
    SyntaxNode value(const json& what) {
        const std::string kind = kind_of(what);
        if (what.is_null() || what.contains("constant")) return made("CONSTANT");
        if (kind == "NamedValue" || kind == "HierarchicalValue") {
            const std::string symbol = text(what, "symbol");
            return symbols_.constants.contains(symbol) ? made("CONSTANT") : made("IDENTIFIER", {}, name(symbol));
        }
        if (kind == "Call") return call(what, "FCALL");
        if (kind == "Assignment" || (kind == "UnaryOp" && ends_with(text(what, "op"), "crement")))
            throw CannotRead(sentence("an expression in module ", excerpt(module_), " assigns; that is not read"));
        SyntaxNode node = made("EXPRESSION");
        parts_of(what, node, &Translation::value);
        return node;
    }

    /// @param of  what becomes of a part: value or target
    void parts_of(const json& what, SyntaxNode& node, SyntaxNode (Translation::*of)(const json&)) {
        for (const json& part : what) {
            if (part.is_object() && part.contains("kind"))
                node.parts.push_back((this->*of)(part));
            else if (part.is_structured())
                parts_of(part, node, of);
        }
    }

    /// What an assignment gives a value.
    SyntaxNode target(const json& what) {
        const std::string kind = kind_of(what);
        if (kind == "NamedValue" || kind == "HierarchicalValue")
            return made("IDENTIFIER", {}, name(text(what, "symbol")));
        if (kind == "ElementSelect" || kind == "RangeSelect" || kind == "MemberAccess") {
            SyntaxNode node = target(child(what, "value"));
            for (const char* const index : {"selector", "left", "right"})
                if (what.contains(index)) node.parts.push_back(value(child(what, index)));
            return node;
        }
        if (kind == "Conversion") return target(child(what, "operand"));
        SyntaxNode node = made("TARGETS");
        parts_of(what, node, &Translation::target);
        return node;
    }

    /// With its number behind it, so that names of the same letters stay apart.
    std::string name(const std::string& symbol) const {
        const auto found = symbols_.results.find(symbol);
        const std::string& of = found == symbols_.results.end() ? symbol : found->second;
        const auto space = of.find(' ');
        return "\\" + of.substr(space + 1) + " " + of.substr(0, space);
    }

    void delay(const json& member, const char* key) {
        if (member.contains(key)) hazard(Construct::delay);
    }
    void hazard(Construct construct) { out_.hazards.push_back({construct, module_, 0, sentence_of(construct)}); }

    Symbols symbols_;
    SlangSyntax& out_;
    std::set<std::string> called_;
    std::string module_, result_;
};

} // namespace

SlangSyntax read_slang_syntax(const std::string& printed) {
    const auto begin = printed.starts_with("{\n") ? 0 : printed.find("\n{\n");
    const auto end = printed.find("\n}\n", begin);
    if (begin == std::string::npos || end == std::string::npos) throw CannotRead("slang printed no syntax tree");
    const json root = json::parse(printed.begin() + static_cast<std::ptrdiff_t>(begin),
                                  printed.begin() + static_cast<std::ptrdiff_t>(end) + 2, nullptr, false);
    if (root.is_discarded()) throw CannotRead("slang printed no syntax tree that can be read");
    SlangSyntax syntax;
    Translation(root, syntax);
    return syntax;
}

} // namespace discern::rtl
