// The options of a design that stands where a unit could: rtl:FILE.sv.
#pragma once

#include "options.hpp"
#include "solver/decide/discriminate.hpp"

#include "hwrunner/target.hpp"
#include "models/unit.hpp"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace discern::cli {

inline constexpr double longest_reading = 300; ///< seconds, of a design, where a command has no limit

struct DesignOptions {
    std::string top, map, clock, reset, reader, state, valid, ready;
    std::vector<std::string> set, parameters, equal, include, define, lists;
    std::string cycles;     ///< a whole number, or empty
    std::string flags_port; ///< asked about in place of d, or empty
    std::string tininess = "after";
    bool hold = false, once = false, by_cases = false;

    bool any() const;
};

enum class DesignUse {
    asked_about, ///< proofs, which cut points help
    simulated,
};
void add_design_options(CommandLine& line, DesignOptions& options, DesignUse use = DesignUse::asked_about);

/// What is said where options of a design are given and there is none.
std::string design_options_alone(const std::string& word);

/// Whether it is written as a design.
bool is_design(const std::string& word);

/// The options of one design: those of all, and what stands in braces behind it. @param word  as of read_design()
DesignOptions options_of_design(const std::string& word, const DesignOptions& common);

/// The design as a target. @param word  as of read_design()
/// @param seconds  for reading it
std::unique_ptr<Target> design_target(const std::string& word, const DesignOptions& options, const Shape& shape,
                                      double seconds, const std::stop_token& stop);

} // namespace discern::cli
