// Cases that need a proof of their own: two units agree in them for another reason than elsewhere.
#pragma once

#include "solver/certify/proof/sweep.hpp"

#include "models/unit.hpp"

#include <vector>

namespace discern::certificate {

/// For units of one block: the case that all exponents are below a floor, or below the exponent of a zero term, that
/// only one of the two units has. In that case the bits of the two sums have different weights, and only the normalised
/// sums are equal. No cases if floors and exponents of zeros are the same, or if there are several sums.
std::vector<Case> cases(const Unit& one, const Unit& other);

} // namespace discern::certificate
