// The sums that loops of programs make, as units: every addition is rounded, to d's format or to f64 with one rounding
// to d at the end.
#pragma once

#include "structure.hpp"

#include <vector>

namespace discern::probe {

struct SoftwareSum {
    Unit unit;
    bool wider; ///< its sums are kept as f64
};

/// Those of the structure's lanes and order, with the reported roundings and flushes; none where the
/// structure is no such sum, or one too long for the notation. Those that keep d's format come first.
std::vector<SoftwareSum> software_sums(const Shape& shape, const Structure& structure, const ProbeReport& report);

} // namespace discern::probe
