// The results of `discern compare`, as text and as JSON.
#pragma once

#include "analysis/compare/compare.hpp"
#include "cli/base/colour.hpp"

#include <array>
#include <ostream>
#include <string>
#include <vector>

namespace discern::cli {

struct ComparisonReport {
    std::array<std::string, 2> names; ///< as they were written
    std::array<compare::Program, 2> programs;
    std::string unit;
    compare::Setting setting;
    FormatId d = FormatId::f32;
    std::array<compare::NeverFarther, 2> answers;
    std::vector<measure::Measured> measured;
    double seconds = 0;
};

void print_comparison(const ComparisonReport& report, const Colours& colours, std::ostream& out);
/// One object; docs/compare.md says what the fields are, docs/schemas/compare.json checks it.
void print_comparison_json(const ComparisonReport& report, std::ostream& out);

} // namespace discern::cli
