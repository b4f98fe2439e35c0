// Cases in which two units agree for another reason than else, and are proved to agree apart.
#pragma once

#include "sweep.hpp"

#include "models/unit.hpp"

#include <vector>

namespace discern::certificate {

/// Of units of one block: that all exponents are below a floor, or the exponent of zero terms, that only one of them
/// has. There the sums stand in other places, and only what is normalised is the same. None where these are the same,
/// or where there are several sums.
std::vector<Case> cases(const Unit& one, const Unit& other);

} // namespace discern::certificate
