// Errors of one's own data: of the results in a file or in matrices, and of units on their inputs.
#pragma once

#include "cli/base/interrupt.hpp"
#include "cli/files/matrix_vectors.hpp"
#include "cli/files/vector_file.hpp"
#include "report.hpp"

#include <string>
#include <vector>

namespace discern::cli {

struct OwnData {
    std::string path; ///< a file of vectors, a table or arrays; empty: matrices
    MatrixPaths matrices;
    DataOptions options;

    bool is_given() const { return !path.empty() || matrices.any(); }
};

/// The last of the words, taken out of them, if it is a file and no unit.
/// @throws Error if it is neither, and its name is one that data have
std::string take_file(std::vector<std::string>& words);

/// What the file has, if it has results, and then the units, all of its shape.
/// @throws Error if there is nothing to measure
MeasureReport measure_own_data(const OwnData& data, std::vector<std::string> units, const Interrupt& interrupt,
                               const Streams& io);

} // namespace discern::cli
