// The answer of `which`, for people and as JSON.
#pragma once

#include "cli/base/colour.hpp"
#include "cli/base/json.hpp"
#include "identification/which/known_units.hpp"
#include "identification/which/which.hpp"
#include "models/printed.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace discern::cli {

/// The observations, and their shape.
struct Observations {
    Shape shape;
    std::vector<Vector> vectors;
    bool nan_any = false;
    std::vector<std::uint64_t> lines; ///< of the file, for each vector; empty: not from a file
    std::size_t unanswered = 0;
    PrintedRanges ranges;
    std::string about_digits;
};

/// How many were looked at.
struct Tried {
    std::size_t units = 0, kernels = 0;
};

/// Whether nothing is added to the products: units of any c can have computed them.
bool all_c_are_zero(const Observations& all);

void print_text(std::ostream& out, const Observations& all, const KnownUnits& known, const WhichAnswer& answer,
                Tried tried, const Colours& colours);
Json as_json(const Observations& all, const KnownUnits& known, const WhichAnswer& answer);

} // namespace discern::cli
