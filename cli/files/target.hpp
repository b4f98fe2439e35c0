// What the commands that use a target have in common: its options, and its part of a header.
#pragma once

#include "cli/options/design_options.hpp"
#include "cli/options/options.hpp"
#include "hwrunner/kinds.hpp"
#include "models/vectors.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace discern::cli {

struct TargetChoice {
    std::string target, formats, scale;
    int K = 0;
    double answer_timeout = TargetOptions{}.answer_timeout;
    unsigned programs = 1;                                    ///< of exec, side by side
    bool at_every_place_first = true;                         ///< as TargetOptions has it
    double timeout = std::numeric_limits<double>::infinity(); ///< of the whole command
    std::string launch;                                       ///< of ptx:FILE
    DesignOptions design;                                     ///< of rtl:FILE
};

/// Adds the target and its options, among them --timeout.
void add_target_options(CommandLine& line, TargetChoice& choice, const std::string& name = "TARGET",
                        const std::string& text = "what to run; 'discern targets' lists them", bool required = true);

/// The shape of --formats, --K and --scale. @throws Error unless formats and K are both given
Shape shape_of_words(const std::string& formats, int K, const std::string& scale);

/// The target that a host makes (Host::target); its shape is given.
inline constexpr std::string_view callable_target = "callable";

/// @param known  the shape of what it will be asked, for a target that does not say its own when --formats is not given
/// @throws Error if the target is not available
/// @param stop   ends what a slow target does
std::unique_ptr<Target> start_target(const TargetChoice& choice, const std::optional<Shape>& known,
                                     std::stop_token stop, const Streams& io);

/// Asks a target, for whom an answer that is missing is no trouble, and remembers why the first one is.
struct Asker {
    Target& target;
    std::string first_error{};

    /// d of each vector; nothing where the target could not answer, or was stopped.
    std::vector<std::optional<std::uint64_t>> operator()(std::span<const Inputs> batch);
};

/// The file that a target reads, which no command may write; empty if it reads none.
std::string input_of(const TargetChoice& choice);

/// What the target should compute, where that is known. @throws Error if it is not
std::string unit_of_target(const TargetChoice& choice);

/// Whether start_target needs a known shape.
bool needs_shape(const TargetChoice& choice);

/// Target, identity and the date, for the header of observations.
Header observation_header(const TargetChoice& choice, const Target& target, const std::string& command);

} // namespace discern::cli
