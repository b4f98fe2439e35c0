// What the commands that use a target have in common: its options, and its part of a header.
#pragma once

#include "hwrunner/kinds.hpp"
#include "models/vectors.hpp"
#include "options.hpp"

#include <memory>
#include <string>

namespace discern::cli {

struct TargetChoice {
    std::string target, formats, scale;
    int K = 0;
    double answer_timeout = TargetOptions{}.answer_timeout;
};

/// Adds the target and its options.
void add_target_options(CommandLine& line, TargetChoice& choice);

/// @param known  the shape of what it will be asked, for a target that does not say its own when --formats is not given
/// @throws Error if the target is not available
std::unique_ptr<Target> start_target(const TargetChoice& choice, const std::optional<Shape>& known);

/// What the target should compute, where that is known. @throws Error if it is not
std::string unit_of_target(const TargetChoice& choice);

/// Whether start_target needs a known shape.
bool needs_shape(const TargetChoice& choice);

/// Target, identity and the date, for the header of observations.
Header observation_header(const TargetChoice& choice, const Target& target, const std::string& command);

} // namespace discern::cli
