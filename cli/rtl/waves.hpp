// --wave FILE: the counterexample as signals.
#pragma once

#include "cli/base/command.hpp"
#include "cli/options/options.hpp"
#include "cli/options/read_design.hpp"

#include <string>

namespace discern::cli {

/// @throws Error if the name is none of a file of waves, or a file stands where it was given and there is no design
void require_wave(const std::string& file, bool of_design);

/// Writes the file of the first vector that an answer has, or says on standard error why there is none. Of two designs
/// there are two: FILE-1 and FILE-2, before the end of the name.
void write_waves(const DesignsAsked& asked, const std::string& file, const std::stop_token& stop, const Streams& io);

/// The same of a vector on which the design gives d, and the unit another result.
/// @param word  as of read_design()
void write_wave(const std::string& word, const DesignOptions& options, const Unit& unit, const Vector& vector,
                std::uint64_t expected, const std::string& file, const Streams& io);

} // namespace discern::cli
