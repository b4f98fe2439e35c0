// Designs as members of a suite: each joins the class that it is proved to be in, or is a class of its own.
#pragma once

#include "analysis/suite/suite.hpp"
#include "cli/options/design_options.hpp"

#include <string>
#include <vector>

namespace discern::cli {

/// Adds the designs to a suite of units, one after the other. A design is compared with the suite's vectors, and then
/// asked about beside the classes that these leave; what tells it from one of them is a new vector. Of two designs that
/// are in no unit's class only the vectors say anything: with equal results they are open.
/// @param words  as "rtl:FILE.sv{WIDTH=8}"
/// @throws Error as of `prove`
void add_designs(Suite& suite, const std::vector<std::string>& words, const DesignOptions& how,
                 const SuiteOptions& options, const Limit& limit);

} // namespace discern::cli
