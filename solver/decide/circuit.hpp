// The question "do these units differ?" as one term over shared inputs, and the report when an answer proves wrong.
#pragma once

#include "encodings/encode.hpp"
#include "solver/witness/replay.hpp"

#include <filesystem>

namespace discern {

/// Both units in one graph, over the same variables.
struct Circuit {
    explicit Circuit(const Question& question, Terms::Order order = Terms::Order::canonical);

    Terms terms;
    InputTerms inputs;
    Term d1, d2;
    Term differ; ///< 1 bit: the inputs are within the limits, and the results differ
};

/// Writes the question as SMT-LIB 2 with, in comments, the units, the vector that was proposed and what each model
/// makes of it. @return the file
std::filesystem::path write_report(const Circuit& circuit, const Pair& pair, const Vector& proposed,
                                   const Replay& replay, const std::string& by, const std::filesystem::path& directory);

} // namespace discern
