// The options of a design that stands where a unit could: rtl:FILE.sv.
#pragma once

#include "cli/options/options.hpp"
#include "solver/decide/discriminate.hpp"

#include "models/unit.hpp"

#include <string>
#include <vector>

namespace discern::cli {

struct DesignOptions {
    std::string top, map, clock, reset, reader;
    std::vector<std::string> set, parameters, equal, include, define, lists;
    std::string cycles; ///< a whole number, or empty
    bool hold = false, once = false, by_cases = false;

    bool any() const {
        return hold || once || by_cases || !top.empty() || !map.empty() || !clock.empty() || !reset.empty() ||
               !set.empty() || !parameters.empty() || !equal.empty() || !cycles.empty() || !include.empty() ||
               !define.empty() || !lists.empty() || !reader.empty();
    }
};

void add_design_options(CommandLine& line, DesignOptions& options);

/// Whether it is written as a design.
bool is_design(const std::string& word);

/// Reads the design and asks. @param word  as of read_design()
Answer ask_about_design(const Unit& unit, const std::string& word, const DesignOptions& options,
                        const DiscriminateOptions& solving);

} // namespace discern::cli
