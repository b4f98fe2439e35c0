// One sweep of a proof: over all inputs, or those that what is given leaves.
#pragma once

#include "given.hpp"
#include "sweep.hpp"

namespace discern::certificate {

/// @param options  of these the cases are not looked at
/// @param given    what the sweep defines is added to it
/// @param vectors  inputs to simulate with, 64 in each word; a word for every input
/// @param refuted  if the results are the same, the number of the clause that says so: the empty one, or that what is
///                 given does not hold
Swept sweep_once(const Miter& miter, const Formula& formula, const SweepOptions& options, Given& given, ProofLog& log,
                 const std::vector<std::vector<std::uint64_t>>& vectors, ClauseId& refuted);

} // namespace discern::certificate
