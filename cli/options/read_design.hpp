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

/// The same, for all inputs. @param seconds  for reading it
ReadDesign read_design(const Unit& unit, const std::string& word, const DesignOptions& options, double seconds,
                       const std::stop_token& stop = {});

/// The options of a design that is asked about its flags, which are then on the port of d.
DesignOptions with_flags_as_d(DesignOptions options);

/// A question about a unit and a design, or about two designs, read.
struct DesignsAsked {
    std::vector<ReadDesign> designs; ///< one or two
    Answer answer;
};

/// Reads a design and asks whether it is the unit, or reads two and asks whether they are the same.
/// @param unit     beside two designs any one of their shape
/// @param words    as of read_design(), one or two
/// @param options  of all; those of one stand in braces behind it
/// @param flags    if the design's flags are asked about; `unit` is then any one whose d has their width
DesignsAsked ask_about_designs(const Unit& unit, const std::vector<std::string>& words, const DesignOptions& options,
                               const DiscriminateOptions& solving,
                               const std::optional<rtl::FlagsAsked>& flags = std::nullopt);

} // namespace discern::cli
