// How many edges a design takes, found by what it gives for random operands.
//
// It is only a proposal: what is claimed about the design is asked at the number that was found, as if it had been
// given.
#pragma once

#include "connection.hpp"

#include "models/unit.hpp"
#include "solver/backend/limit.hpp"

namespace discern::rtl {

inline constexpr int longest_latency = 64;

/// The number of edges after which the design gives the unit's results for most vectors; a design with a mistake gives
/// some others. Registers and other cycles hold anything, except for states that a reset excludes.
/// @param text  its `cycles` are not read
/// @throws Error if there is no such number, as where it depends on the operands
int find_latency(const Unit& unit, const Design& design, ConnectionText text, const Limit& limit);

} // namespace discern::rtl
