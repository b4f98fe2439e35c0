// Further witnesses from a solver, after the first: each time the kinds that are known are excluded.
#pragma once

#include "solver/backend/backend.hpp"
#include "solver/question/circuit.hpp"
#include "witness_set.hpp"

namespace discern {

/// Asks one back-end for witnesses of other kinds, first for other profiles, then for other distances of the exponents,
/// until there are enough, or no more, or the limit is reached, or many in succession were of a known kind.
/// @param circuit  is extended by conditions
void find_more_kinds(WitnessSet& witnesses, Circuit& circuit, const Unit& unit, const BackendKind& kind,
                     std::uint64_t seed, const Limit& limit);

} // namespace discern
