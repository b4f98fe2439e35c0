// The question "do members of these spaces differ?" as one term over shared inputs, and the report when an answer
// proves wrong.
#pragma once

#include "encodings/encode.hpp"
#include "solver/witness/replay.hpp"

#include <filesystem>

namespace discern {

/// Both sides in one graph, over the same variables.
struct Circuit {
    explicit Circuit(const SpaceQuestion& question, Terms::Order order = Terms::Order::canonical);
    explicit Circuit(const Question& question, Terms::Order order = Terms::Order::canonical);

    Terms terms;
    InputTerms inputs;
    ParameterTerms first, second;
    Term d1, d2;
    Term assume;  ///< 1 bit: the inputs are within the limits, and the parameters are those of members
    Term results; ///< 1 bit: the results differ
    Term differ;  ///< both

    /// All variables of inputs and parameters.
    std::vector<Term> variables() const;
};

/// Writes the question as SMT-LIB 2 with, in comments, the units, the vector that was proposed and what each model
/// makes of it. @return the file
std::filesystem::path write_report(const Circuit& circuit, const Pair& pair, const Vector& proposed,
                                   const Replay& replay, const std::string& by, const std::filesystem::path& directory);

} // namespace discern
