// The options by which a person says what inputs a question or a test is about: the same for all commands.
#pragma once

#include "models/stimulus/stimulus.hpp"
#include "options.hpp"
#include "solver/question/input_limits.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace discern::cli {

struct LimitWords {
    bool finite = false, no_subnormals = false;
    std::string exponents; ///< of --range
    std::string values;    ///< of --values

    bool any() const { return finite || no_subnormals || !exponents.empty() || !values.empty(); }
};

/// Adds --finite, --range, --values and --no-subnormals.
void add_input_limits(CommandLine& line, LimitWords& words);

/// The same without --range, which stimulus does not know.
void add_stimulus_limits(CommandLine& line, LimitWords& words);
/// Adds --family. @param how  they are taken @param without  the option
Option add_families(CommandLine& line, std::vector<std::string>& families, std::string_view how,
                    std::string_view without);

/// What they mean to a question for a solver. @throws Error
InputLimits limits_of_question(const LimitWords& words);
/// What they mean to stimulus, which knows no --range. @throws Error
ValueLimits limits_of_stimulus(const LimitWords& words);

} // namespace discern::cli
