// The cases into which a certificate of a design divides its proof: those by which questions are split.
#pragma once

#include "cases.hpp"

#include "solver/certify/write.hpp"

namespace discern::rtl {

/// @param question  must outlive what is returned, which is empty if the unit's questions cannot be split
certificate::SplitProof split_proof(const DesignQuestion& question, const CasesOptions& options);

} // namespace discern::rtl
