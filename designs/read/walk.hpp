// The statements of a process or a function in order: what they read before they have given it a value, and what they
// give one. hazards.cpp has the rules about that.
#pragma once

#include "syntax.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace discern::rtl {

using Names = std::set<std::string>;
using Lines = std::map<std::string, int>; ///< names, and where

inline bool is_block(const SyntaxNode& node) { return node.is("BLOCK") || node.is("GENBLOCK"); }
inline bool is_call(const SyntaxNode& node) { return node.is("FCALL") || node.is("TCALL"); }

struct Function {
    const SyntaxNode* node = nullptr;
    Lines outer; ///< what it reads and does not declare
};
using Functions = std::map<std::string, Function>;

class Walk {
  public:
    Walk(const Names& constants, const Functions& functions) : constants_(constants), functions_(functions) {}

    Names given;             ///< so far, on every path, by blocking assignments
    Lines blocking, waiting; ///< all that get a value, by blocking and by non-blocking assignments
    Lines reads;             ///< of what had no value of this process
    Names loops, locals;     ///< variables of for loops; what is declared within
    bool is_left = false;    ///< by a return, or for a loop's end: what follows is not reached

    void statement(const SyntaxNode& node);
    void read(const SyntaxNode& node);

  private:
    void statement_or_read(const SyntaxNode& node);
    void note(const std::string& name, int line);
    void assign(const SyntaxNode& to, bool at_once);
    void choice(const SyntaxNode& node);
    void loop(const SyntaxNode& node);
    void call(const SyntaxNode& node);

    const Names& constants_;
    const Functions& functions_;
    std::vector<Names> at_breaks_; ///< what was given where the loop is left
};

} // namespace discern::rtl
