// The results of `discern measure`, as text, JSON and pictures.
#pragma once

#include "analysis/measure/measure.hpp"
#include "cli/base/json.hpp"
#include "models/shape.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace discern::cli {

struct MeasureReport {
    std::vector<std::string> units; ///< as they were written
    Shape shape;
    int chain = 1;
    std::vector<measure::Measured> families;
    double seconds = 0;
};

/// Three lines: errors in ulp, relative and absolute ones, and how they are distributed.
std::string errors_text(const measure::Errors& errors);
/// "12.00 %, the second in 3.00 %, both alike in 85.00 %": in how many cases the first is nearer
std::string nearer_text(const measure::NearerCounts& counts);
/// A list of families. @param what  the name of those that were measured, "unit"
Json json_of(const std::vector<measure::Measured>& all, const std::string& what, const std::vector<std::string>& names);

/// A line a unit and family, and how the errors are distributed.
void print_measured(const MeasureReport& report, std::ostream& out);
/// One object; docs/measure.md says what the fields are, docs/schemas/measure.json checks it.
void print_measured_json(const MeasureReport& report, std::ostream& out);
/// The distributions of the errors: a row a family, a curve a unit.
void print_measured_svg(const MeasureReport& report, std::ostream& out);

} // namespace discern::cli
