// Randomised validation: does a target give what a unit gives?
//
// Xie et al. (§3.1.4) validate a model by random inputs of several distributions; ours are the families of
// models/families.hpp, taken in turn so that every thousand vectors has all of them.
#pragma once

#include "models/families.hpp"
#include "models/vectors.hpp"
#include "target.hpp"

#include <functional>
#include <stop_token>

namespace discern {

/// A vector on which target and unit differ.
struct Mismatch {
    std::uint64_t index; ///< of the vector, from 0
    Family family;
    Vector vector;                                  ///< d: what the target gave
    std::uint64_t expected;                         ///< what the unit gives
    std::optional<StatusFlags> expected_flags = {}; ///< what it raises, if flags are compared
};

struct Validation {
    std::uint64_t checked = 0, mismatches = 0;
    std::uint64_t skipped = 0; ///< vectors that the target could not answer, which are not among the checked
    std::string first_error;   ///< why, the first time
};

struct ValidateOptions {
    std::uint64_t vectors = 1'000'000;
    std::uint64_t seed = 1;
    unsigned threads = 1;      ///< that make vectors and predict; the outcome is the same
    std::stop_token stop = {}; ///< ends the validation between two batches
    /// Changes a vector into one within the limits of a user; nullptr: there are none.
    std::function<void(InputBuffer&)> limit = nullptr;
    /// The flags that the unit raises, which the target must say; nullptr: they are not compared.
    std::function<StatusFlags(const Inputs&)> flags = nullptr;
    std::function<void(std::uint64_t done)> progress = nullptr; ///< called between two batches
};

/// @param report  called for every mismatch, in order
/// @param result  counts, valid even if this throws
/// @throws Error if target and unit have different shapes, or the target fails or is stopped; what it answered before
/// is counted
void validate_target(Target& target, const Unit& unit, const ValidateOptions& options,
                     const std::function<void(const Mismatch&)>& report, Validation& result);

} // namespace discern
