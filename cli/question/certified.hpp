// Units and designs as a certificate has them.
#pragma once

#include "cli/options/read_design.hpp"
#include "solver/certify/write.hpp"

#include <string>
#include <utility>

namespace discern::cli {

/// Of what an answer is certified: of two units, a unit and a design, or two designs.
struct CertifiedSides {
    certificate::Certified what;
    std::string why_not; ///< there can be no certificate: a result rests on more than the operands
};

/// The circuits of the designs, with the files, the program and the options that they were read by.
/// @param unit     the unit beside one design; beside two any of their shape
CertifiedSides certified(const Unit& unit, const std::vector<ReadDesign>& designs, const DiscriminateOptions& options);
/// Of two units of one shape.
CertifiedSides certified(const std::pair<Unit, Unit>& units, const DiscriminateOptions& options);

} // namespace discern::cli
