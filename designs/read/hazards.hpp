// Constructs on which simulation and synthesis part, found in the syntax tree that yosys or slang prints.
//
// Synthesis reads a process that is not clocked as a function of all that it reads, and one that is clocked as one in
// which all registers change at once. A simulator runs a process when something in its list changes, statement by
// statement, and processes of one edge in any order. Where that is not the same a netlist says nothing of the simulated
// design: incomplete lists, values that are read before the process gives them, functions that read what they are not
// given, or keep what they held, blocking assignments that another process reads at the same edge.
#pragma once

#include "syntax.hpp"
#include "text.hpp"

#include <set>
#include <string>
#include <vector>

namespace discern::rtl {

/// The modules that top has in it, itself included. @param top  empty: all that no other has in it
std::set<std::string> used_modules(const std::vector<SyntaxNode>& modules, const std::string& top);

/// @param modules  and packages (syntax.hpp, slang_syntax.hpp)
/// @param sources  of which the top and its parameters count
/// @param of_text  hazards that the text has; those in modules that top does not have in it are left out
/// @return those of the modules that top has in it: what is refused first, then in the order of lines
std::vector<Hazard> hazards_of(const std::vector<SyntaxNode>& modules, const Sources& sources,
                               const std::vector<Hazard>& of_text);

} // namespace discern::rtl
