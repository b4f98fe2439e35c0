// The syntax tree that slang prints as JSON (`read_slang --dump-ast`), as nodes of the kinds that yosys has
// (syntax.hpp), so that hazards.cpp looks into either.
//
// slang's tree is elaborated: generate blocks are there as often as they count, and names are symbols with a number
// each. It has no lines.
#pragma once

#include "syntax.hpp"
#include "text.hpp"

#include <string>
#include <vector>

namespace discern::rtl {

struct SlangSyntax {
    std::vector<SyntaxNode> modules; ///< each instance
    std::string top;
    std::vector<Hazard> hazards; ///< delays and the like, which are for simulation alone
};

/// @param printed  by read_slang, with the tree in it
/// @throws CannotRead for a statement of a kind that is not known
SlangSyntax read_slang_syntax(const std::string& printed);

} // namespace discern::rtl
