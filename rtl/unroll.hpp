// A design as a term of the unit's inputs: d, as many clock edges after the operands as the design says it takes.
//
// What nobody says stays open: x in the source, what registers held before, inputs of other cycles. Each is a variable
// of its own, so a proof holds for all of its values, and a difference that only some of them make is told from others.
#pragma once

#include "connection.hpp"

#include "encodings/encode.hpp"

#include <string>
#include <vector>

namespace discern::rtl {

struct DesignTerm {
    Term d;
    struct Open {
        Term variable;   ///< of at most 64 bits
        std::string why; ///< "register 'q' at f.sv:3 still holds what it held before the operands came"
    };
    std::vector<Open> open; ///< those on which d or a watched net depends, as it is written
    std::vector<std::vector<Term>>
        watched; ///< of each net that is watched: what it is in each cycle from the operands'
};

/// @param watched  nets, as words, lowest bit first
/// @throws Error if d depends on a net that nobody drives, on a loop, on a register without clock
DesignTerm unroll(Terms& t, const Design& design, const Connection& connection, const InputTerms& inputs,
                  const std::vector<std::vector<Net>>& watched = {});

} // namespace discern::rtl
