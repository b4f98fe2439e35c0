// Are two designs the same? Both are terms over the same operands, and what is known of a unit is not needed: neither
// is taken for right.
//
// "Equivalent" means equal bits for all operands, NaN too, whatever the designs leave open. "Different" comes with a
// vector on which simulators give what the terms say of either.
#pragma once

#include "designs/clocked/circuit.hpp"
#include "read/sources.hpp"

#include "solver/decide/discriminate.hpp"

namespace discern::rtl {

struct ReadDesignOf {
    const DesignQuestion& question; ///< of any unit of the shape
    const Sources& sources;
};

/// @param options  of which solver "portfolio" and "random" count, and no cross-check
/// @throws Error if a result is not defined by the operands, or no simulator takes a design on which they differ
Answer decide_designs(const ReadDesignOf& first, const ReadDesignOf& second, const DiscriminateOptions& options);

} // namespace discern::rtl
