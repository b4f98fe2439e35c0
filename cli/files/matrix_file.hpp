// Matrices of bit patterns in files: raw words, NumPy's .npy, and files of vectors.
#pragma once

#include "cli/base/command.hpp"
#include "models/import/number.hpp"
#include "models/pattern_words.hpp"
#include "models/vectors.hpp"

#include <optional>
#include <string>
#include <vector>

namespace discern::cli {

/// A matrix in memory, row-major.
struct MatrixData : PatternWords {
    FormatId format;
    std::size_t rows, columns;

    explicit MatrixData(FormatId id = FormatId::f16, std::size_t r = 0, std::size_t c = 0)
        : PatternWords(id, r * c), format(id), rows(r), columns(c) {}
};

/// The operands of a file of vectors that can be read as a matrix.
enum class Part {
    a,  ///< each vector's a is a row
    b,  ///< each vector's b is a column
    sa, ///< each vector's scales of a are a row
    sb, ///< each vector's scales of b are a column
    c,  ///< the vectors' c, row by row
};

struct MatrixSize {
    std::size_t rows, columns;
};

/// Numbers in files of matrices: floats of .npy that are not the format's own, and with `given` all of .npy, .csv and
/// .txt, which then is a row a line.
struct MatrixNumbers {
    bool given = false;
    NumberRounding rounding = Rounding::rne;
    std::uint64_t rounded = 0;   ///< how many were no numbers of the format
    bool has_few_digits = false; ///< as NumberMatrix has it
};

/// Reads a matrix. A name in .npy is NumPy's format, a name in .jsonl, .csv or .txt a file of vectors, anything else
/// raw words, little-endian.
/// @param size  needed for raw words and for `c` of vectors; if it is given, the file must agree
/// @throws Error if the file is not such a matrix, or a word is not a pattern of the format
MatrixData read_matrix(const std::string& path, FormatId format, Part part, std::optional<MatrixSize> size,
                       const ReadAs& as, const Streams& io, MatrixNumbers& numbers);

/// Writes a matrix, as .npy or as raw words; without a path as hexadecimal text, a row a line.
void write_matrix(const std::string& path, const MatrixData& matrix, const Streams& io);

} // namespace discern::cli
