// The matrices of a product as vectors: each element of D is one dot product, of a row of A, a column of B and an
// element of C.
#pragma once

#include "vector_file.hpp"

#include <optional>
#include <span>
#include <string>
#include <utility>

namespace discern::cli {

/// Files of matrices, as NumPy writes them; c may be empty.
struct MatrixPaths {
    std::string a, b, c, d;

    bool any() const { return !a.empty() || !b.empty() || !c.empty() || !d.empty(); }
    void add_to(CommandLine& line);
};

/// A is M x K, B is K x N (or N x K, if that alone fits), C and D are M x N. The formats are those of the options, or
/// of the arrays' types. Of a large product some thousand elements, evenly spread; a message says so.
/// @throws Error if a file is not such a matrix, or a format is not known
Table vectors_of_matrices(const MatrixPaths& paths, const DataOptions& options, const Streams& io);

/// Whether arrays with the names A, B and D, or a, b and d, are the matrices of a product, and no lists of vectors:
/// then d has one column.
bool are_matrices(std::span<const std::pair<std::string, Array>> arrays);

/// The same of the arrays of an archive or a folder. @param given  formats, where they are said; K may be 0
Table vectors_of_matrices(std::span<const std::pair<std::string, Array>> arrays, const std::string& name,
                          const std::optional<Shape>& given, const DataOptions& options, const Streams& io);

} // namespace discern::cli
