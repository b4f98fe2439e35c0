// Errors of units against the exact result, by family of input: how often, how far, and to which side.
//
// Inputs of a family whose operands are drawn independently of each other are combined: rows of A with columns of B, as
// in a matrix product, which the kernels compute at their full speed. Of all other families each vector is its own.
#pragma once

#include "errors.hpp"
#include "subject.hpp"

#include "models/stimulus/stimulus.hpp"
#include "models/unit.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace discern::measure {

/// Standard deviations of the numbers of each operand, of mean 0.
struct Spread {
    double a = 1, b = 1, c = 1;
};
/// "a:1000,b:1000"; what is not there is 1. @throws Error
Spread parse_spread(std::string_view text);

struct MeasureOptions {
    std::vector<std::string> families = {"normal"}; ///< of stimulus_family_names()
    /// Instead of families: N(0, σ²) of each operand, rounded to nearest.
    std::optional<Spread> spread;
    ValueLimits limits;
    std::uint64_t n = 1'000'000; ///< dot products of each family
    int chain = 1;               ///< instructions a dot product, each one's accumulator the result of the one before
    std::uint64_t seed = 1;
    unsigned threads = 0; ///< 0: as many as the machine has
    std::stop_token stop;
    /// Called from time to time, by one thread at a time, with how many dots of how many are done.
    std::function<void(std::uint64_t done)> progress;
};

/// How often the first, or the second, of two results was nearer to the exact one, where that is a number.
struct NearerCounts {
    std::uint64_t first = 0, second = 0, neither = 0;
    /// @param exact  as ErrorCounter::add has it; a result that is no number is farther from it than any number
    void count(const Format& d, std::uint64_t one, std::uint64_t other, const ExactSum& exact);
    void add(const NearerCounts& o) { first += o.first, second += o.second, neither += o.neither; }
};

struct Measured {
    std::string family;
    std::vector<Errors> units; ///< in the order of the units
    NearerCounts nearer;       ///< if there are two or more
};

/// The same units, options and seed give the same numbers, whatever the number of threads; after a stop, of what was
/// done by then.
/// @param units  of one shape
/// @throws Error as Stimulus; if a chain is asked for and a result cannot be the next accumulator
std::vector<Measured> measure(const std::vector<Unit>& units, const MeasureOptions& options);

using Subjects = std::vector<std::unique_ptr<Subject>>;

/// The same of anything else that computes dot products. @param inputs  a unit with their shape, K included, at whose
/// parameters families of inputs aim; `chain` of the options does not count
std::vector<Measured> measure(const Subjects& subjects, const Unit& inputs, const MeasureOptions& options);

} // namespace discern::measure
