// The cases into which a certificate divides its proof: those by which questions about designs are split.
#pragma once

#include "cases.hpp"

#include "solver/certify/write.hpp"

namespace discern::rtl {

/// @param unit    that is compared with another or with a design; whose numbers are added
/// @param shape   which has the operands; the same, but where status flags are compared
/// @param limits  of the inputs
/// @return empty if the unit's questions cannot be split
certificate::SplitProof split_proof(const Unit& unit, const Unit& shape, const InputLimits& limits,
                                    const CasesOptions& options);

} // namespace discern::rtl
