// A design as it is written on the command line, read. Apart from the options, which all commands with units include.
#pragma once

#include "design_options.hpp"
#include "solver/design/circuit.hpp"
#include "solver/design/read/sources.hpp"

namespace discern::cli {

/// A design, read and connected.
struct ReadDesign {
    rtl::Sources sources;
    rtl::DesignQuestion question;
};

/// @param word  rtl:FILE[,FILE…], and parameters and options of this design alone in braces behind it: rtl:FILE{K=8},
/// rtl:FILE{--top=unit --map=a=x,b=y K=8}
ReadDesign read_design(const Unit& unit, const std::string& word, const DesignOptions& options,
                       const DiscriminateOptions& solving);

} // namespace discern::cli
