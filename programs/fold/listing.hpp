// Terms in words, one a line: t0 = UNIT@[K=128](A[m,k], B[k,n], +0), then what is made of it.
//
// Operands of a chain that differ in one index only are one pattern with a letter in its place, so that a chain of a
// softmax's values is a line and not one for each key.
#pragma once

#include "terms.hpp"

#include <string>
#include <vector>

namespace discern::programs {

/// A line, and the term that it says; of a family the member that was met first.
struct ListedTerm {
    std::string text, name; ///< "t0[s] = …", "t0[s=3]"
    NodeId term = 0;
};

/// The last line is the term itself. @param limit  lines, after which the rest is counted and left out
std::vector<ListedTerm> listing_of(Terms& terms, NodeId term, std::size_t limit = 2000);

} // namespace discern::programs
