// A design as a side of a claim that is challenged: its netlist computes, and a simulator confirms a difference.
#pragma once

#include "designs/clocked/circuit.hpp"

#include "solver/decide/challenge.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace discern::rtl {

/// @param simulated  d of a vector, by a simulator; nothing if none gives one, and then the netlist's counts
Side side_of(const DesignQuestion& question, std::uint64_t seed,
             std::function<std::optional<std::uint64_t>(const Vector&)> simulated);

} // namespace discern::rtl
