// A design as it is written on the command line, read. Apart from the options, which all commands with units include.
#pragma once

#include "design_options.hpp"
#include "designs/clocked/circuit.hpp"
#include "designs/read/sources.hpp"

namespace discern::cli {

/// A design, read and connected.
struct ReadDesign {
    rtl::Sources sources;
    rtl::DesignQuestion question;
    DesignOptions options; ///< of this design, with those that stand behind it
};

/// @param word  rtl:FILE[,FILE…], and parameters and options of this design alone in braces behind it: rtl:FILE{K=8},
/// rtl:FILE{--top=unit --map=a=x,b=y K=8}
ReadDesign read_design(const Unit& unit, const std::string& word, const DesignOptions& options,
                       const DiscriminateOptions& solving);

/// A question about a unit and a design, or about two designs, read.
struct DesignsAsked {
    std::vector<ReadDesign> designs; ///< one or two
    Answer answer;
};

/// Reads the design and asks. @param word  as of read_design()
DesignsAsked ask_about_design(const Unit& unit, const std::string& word, const DesignOptions& options,
                              const DiscriminateOptions& solving);

/// Reads two designs and asks whether they are the same. @param options  of both; those of one stand in braces behind
/// it
DesignsAsked ask_about_designs(const Shape& shape, const std::string& first, const std::string& second,
                               const DesignOptions& options, const DiscriminateOptions& solving);

} // namespace discern::cli
