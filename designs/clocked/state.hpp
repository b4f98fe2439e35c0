// The registers of an accumulator: c before an operation, d after it.
//
// They are set to c, whatever they held. All other registers keep what they have, so that a proof holds for every state
// in which an operation can come, and for some in which none does.
#pragma once

#include "machine.hpp"

#include "models/vectors.hpp"

#include <string>
#include <vector>

namespace discern::rtl {

/// Neighbouring bits of the state in one register.
struct StatePart {
    std::size_t cell = 0;                     ///< the register
    std::size_t place = 0, at = 0, count = 0; ///< the lowest bit in the register, and in the state; how many
};

/// The state as parts of registers, lowest first.
/// @throws Error if a bit is none of a register, or stands in the state twice
std::vector<StatePart> parts_of_state(const Design& design, const StateUse& state);

/// From now on the state is c.
void set_state(Terms& t, Machine& machine, const Design& design, const StateUse& state, Term c);

/// Names by which a bench can assign to a part, such as "unit.acc[7:4]": one is of a variable, and others may be of
/// nets that it drives. The name that was given comes first.
std::vector<std::string> assignable(const Design& design, const StateUse& state, const StatePart& part);

} // namespace discern::rtl
