// A design as a term of the unit's inputs: d, as many clock edges after the operands as the design says it takes.
//
// What is not specified stays open: x in the source, earlier contents of registers, inputs of other cycles. Each is a
// variable of its own. So a proof holds for every operation, whatever preceded it, and a difference that depends on an
// open value is recognised as such. Of registers only that is assumed which reached.hpp has proved.
#pragma once

#include "machine.hpp"
#include "reached.hpp"

#include "encodings/encode.hpp"

#include <string>
#include <vector>

namespace discern::rtl {

struct DesignTerm {
    Term d;
    std::vector<Open> open; ///< those on which d or a watched net depends, as it is written
    std::vector<std::vector<Term>>
        watched; ///< of each net that is watched: what it is in each cycle from the operands'

    /// Whether d depends on what registers held before.
    bool depends_on_state() const;
};

/// @param reached  what registers can hold when operands come
/// @param watched  nets, as words, lowest bit first
/// @param prefix   of the names of open values; another one for each design in one graph
/// @throws Error if d depends on a net without a driver, on a loop, on a register without clock
DesignTerm unroll(Terms& t, const Design& design, const Connection& connection, const InputTerms& inputs,
                  const Reached& reached = {}, const std::vector<std::vector<Net>>& watched = {},
                  const std::string& prefix = "open");

/// What is observed before an edge, and what registers hold after it, from anything that they can have held; with and
/// without the reset. Two readings of a text for which these are the same are one design, whatever comes.
std::vector<Term> one_edge(Terms& t, const Design& design, const Connection& connection, const InputTerms& inputs);

} // namespace discern::rtl
