// What the table says of sums of sums.
//
// The probes of the structure see which terms are lost beside which. A sum of products that is a term of another sum,
// with c (CDNA3), loses the same terms there as one sum of all. So these rows are taken from the unit that was found to
// give all answers, whose tree says what is added where.
#pragma once

#include "probe.hpp"

#include "models/unit.hpp"

namespace discern::probe {

/// Corrects the place of c and the sum of a block, and adds how sums are aligned in the other sum, if the unit's tree
/// has a sum below a sum.
void tell_levels(ProbeReport& report, const Unit& unit);

} // namespace discern::probe
