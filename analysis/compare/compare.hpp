// Of two programs on one unit: is one never farther from the exact result than the other, for all inputs? And how far
// are they, on many random ones?
//
// "Never farther" is a claim (analysis/property/claim.hpp), one for each direction: refuted by inputs that are replayed
// on the integer evaluator and on the exact oracle, proved by terms that fold, by a theorem or by a solver, else
// unknown.
#pragma once

#include "setting.hpp"

#include "analysis/measure/measure.hpp"
#include "analysis/property/property.hpp"
#include "solver/question/input_limits.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace discern::compare {

/// Whether one program is never farther from the exact result than the other.
struct NeverFarther {
    property::Verdict verdict = property::Verdict::unknown;
    std::optional<Vector> vector;   ///< refuted: finite inputs, with both results as d
    std::array<double, 2> errors{}; ///< of both results there, in ulp of the exact result
    std::string by;                 ///< what answered
    Ground ground;                  ///< of what is proved
    double seconds = 0;
};

struct CompareOptions {
    double timeout = 60; ///< seconds, of both directions together
    std::stop_token stop;
    std::uint64_t seed = 0;
    std::uint64_t tries = 200'000;       ///< random vectors of each direction
    InputLimits limits;                  ///< beside that inputs are finite
    bool ask_solvers = true;             ///< false: random vectors, and terms that fold
    const BackendKind* second = nullptr; ///< has to confirm every unsat
};

/// @return of the first program, and of the second one
/// @throws Error as result_of(); if the results have different formats
std::array<NeverFarther, 2> compare(const std::array<Program, 2>& programs, const Setting& setting,
                                    const CompareOptions& options);

/// The formats of both results. @throws Error if they differ
FormatId common_result(const std::array<Program, 2>& programs, const Setting& setting);

/// Errors of both programs on the same random inputs, products of tiles. Options as of measure::measure(), of which
/// `chain` does not count. The same options and seed give the same numbers, whatever the number of threads.
std::vector<measure::Measured> measure_programs(const std::array<Program, 2>& programs, const Setting& setting,
                                                const measure::MeasureOptions& options);

} // namespace discern::compare
