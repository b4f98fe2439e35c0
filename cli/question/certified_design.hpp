// A design as a certificate has it.
#pragma once

#include "cli/options/read_design.hpp"
#include "solver/certify/write.hpp"

#include <string>

namespace discern::cli {

/// Of what an answer about a unit and a design, or two designs, is certified.
struct CertifiedDesigns {
    certificate::Certified what;
    std::string why_not; ///< there can be no certificate: a result rests on more than the operands
};

/// The circuits of the designs, with the files, the program and the options that they were read by.
/// @param unit     the unit beside one design; beside two any of their shape
/// @param designs  and the options must outlive what is returned
CertifiedDesigns certified(const Unit& unit, const std::vector<ReadDesign>& designs,
                           const DiscriminateOptions& options);

} // namespace discern::cli
