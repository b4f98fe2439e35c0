#include "walk.hpp"

#include <algorithm>
#include <utility>

namespace discern::rtl {

namespace {

bool is_condition(const SyntaxNode& node) { return node.is("COND") || node.is("CONDX") || node.is("CONDZ"); }

Names in_all(const std::vector<Names>& sets) {
    Names names;
    for (const std::string& name : sets.front())
        if (std::all_of(sets.begin(), sets.end(), [&](const Names& of) { return of.contains(name); }))
            names.insert(name);
    return names;
}

} // namespace

void Walk::statement(const SyntaxNode& node) {
    if (is_left) return;
    if (node.is("RETURN") || node.is("BREAK")) {
        if (node.is("BREAK")) at_breaks_.push_back(given);
        is_left = true;
    } else if (node.is("WIRE")) {
        locals.insert(node.name);
    } else if (is_block(node) || node.is("INITIAL")) {
        for (const SyntaxNode& part : node.parts) statement(part);
    } else if (node.is("ASSIGN_EQ") || node.is("ASSIGN_LE")) {
        if (node.parts.size() < 2) return;
        for (std::size_t i = 1; i < node.parts.size(); ++i) read(node.parts[i]);
        assign(node.parts.front(), node.is("ASSIGN_EQ"));
    } else if (node.is("CASE")) {
        choice(node);
    } else if (node.is("FOR")) {
        loop(node);
    } else if (node.is("TCALL")) {
        call(node);
    } else if (!node.is("PARAMETER") && !node.is("LOCALPARAM")) {
        for (const SyntaxNode& part : node.parts) statement_or_read(part);
    }
}

void Walk::read(const SyntaxNode& node) {
    if (node.is("IDENTIFIER")) note(node.name, node.line);
    if (is_call(node))
        if (const auto found = functions_.find(node.name); found != functions_.end())
            for (const auto& [name, line] : found->second.outer) note(name, node.line);
    for (const SyntaxNode& part : node.parts) read(part);
}

void Walk::statement_or_read(const SyntaxNode& node) {
    if (is_block(node) || node.kind.starts_with("ASSIGN") || node.is("CASE"))
        statement(node);
    else
        read(node);
}

void Walk::note(const std::string& name, int line) {
    if (!constants_.contains(name) && name.find("::") == std::string::npos && !given.contains(name))
        reads.try_emplace(name, line);
}

void Walk::assign(const SyntaxNode& to, bool at_once) {
    if (to.is("IDENTIFIER")) {
        for (const SyntaxNode& part : to.parts) read(part); // indices
        (at_once ? blocking : waiting).try_emplace(to.name, to.line);
        if (at_once) given.insert(to.name);
        return;
    }
    for (const SyntaxNode& part : to.parts) assign(part, at_once);
}

/// `if` and `case`. A case without default is taken for one that has all of its values: yosys makes a latch of
/// others.
void Walk::choice(const SyntaxNode& node) {
    if (node.parts.empty()) return;
    read(node.parts.front());
    bool complete = !node.parts.front().is("REDUCE_BOOL");
    const Names before = given;
    std::vector<Names> after;
    bool all_left = true;
    for (std::size_t i = 1; i < node.parts.size(); ++i) {
        const SyntaxNode& branch = node.parts[i];
        if (!is_condition(branch)) continue;
        given = before;
        is_left = false;
        for (const SyntaxNode& part : branch.parts) {
            complete = complete || part.is("DEFAULT");
            if (is_block(part))
                statement(part);
            else
                read(part);
        }
        if (!is_left) after.push_back(given);
        all_left = all_left && is_left;
    }
    if (!complete) after.push_back(before);
    is_left = complete && all_left && node.parts.size() > 1;
    given = after.empty() ? before : in_all(after);
}

/// Loops that yosys reads are unrolled, and run at least once as a rule.
void Walk::loop(const SyntaxNode& node) {
    if (node.parts.size() < 4) return;
    if (!node.parts[0].parts.empty()) loops.insert(node.parts[0].parts.front().name);
    statement(node.parts[0]);
    read(node.parts[1]);
    const std::vector<Names> outside = std::exchange(at_breaks_, {});
    statement(node.parts[3]);
    std::vector<Names> ends = std::exchange(at_breaks_, outside);
    const bool returns = is_left && ends.empty();
    if (!is_left) ends.push_back(given);
    is_left = false;
    if (!ends.empty()) given = in_all(ends);
    statement(node.parts[2]);
    is_left = returns;
}

void Walk::call(const SyntaxNode& node) {
    if (node.name.starts_with("$") || node.name.starts_with("\\$")) return; // which computes nothing
    const auto found = functions_.find(node.name);
    if (found == functions_.end()) return read(node);
    std::vector<const SyntaxNode*> ports;
    for (const SyntaxNode& part : found->second.node->parts)
        if (part.is("WIRE") && part.more.find(" port=") != std::string::npos) ports.push_back(&part);
    for (const auto& [name, line] : found->second.outer) note(name, node.line);
    for (std::size_t i = 0; i < node.parts.size(); ++i)
        if (i >= ports.size() || ports[i]->more.find("input") != std::string::npos) read(node.parts[i]);
    for (std::size_t i = 0; i < node.parts.size() && i < ports.size(); ++i)
        if (ports[i]->more.find("output") != std::string::npos) assign(node.parts[i], true);
}

} // namespace discern::rtl
