// Cut points that a person names: nets of the design that are wires of the unit, for designs that are too large for one
// question. They are proved in order. In later proofs the wire replaces the net, which makes the rest smaller. The
// wires are those of `discern export --as sv UNIT`.
#pragma once

#include "designs/clocked/circuit.hpp"
#include "solver/backend/limit.hpp"

namespace discern::rtl {

/// @param text  "net=wire" or "net[high:low]=wire", each
/// @throws Error for a net or a wire that is not there
std::vector<CutPoint> read_cuts(const Unit& unit, const Design& design, const std::vector<std::string>& text);

/// Proves cuts[which], with those before it that were proved, and sets `proved` and in which cycle it holds. Without a
/// proof in time it stays as it is.
/// @throws Error with a vector on which the net is not the wire
void prove_cut(const DesignQuestion& question, std::vector<CutPoint>& cuts, std::size_t which, std::uint64_t seed,
               const Limit& limit);

} // namespace discern::rtl
