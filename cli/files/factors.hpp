// Matrices that are multiplied, from files, and two results of that side by side.
#pragma once

#include "cli/base/distance.hpp"
#include "matrix_file.hpp"
#include "models/unit.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace discern::cli {

/// A (m × k), B (k × n) and C (m × n).
struct Factors {
    MatrixData a, b, c;
    GemmSize size() const { return {.m = a.rows, .n = b.columns, .k = a.columns}; }
};

/// @param c      may be empty: C is +0
/// @param asked  the size, which raw files need
/// @throws Error if a file is not such a matrix, the sizes do not fit, or C is given and the unit has no accumulator
Factors read_factors(const Unit& unit, const std::string& a, const std::string& b, const std::string& c,
                     const std::optional<GemmSize>& asked, const ReadAs& as, const Streams& io, MatrixNumbers& numbers);

/// Of two matrices of one format and size.
struct Differing {
    std::uint64_t compared = 0, different = 0;
    std::size_t row = 0, column = 0; ///< of the first difference
};

/// @param nan_any    any NaN is as good as another
/// @param distances  takes all differences
Differing differing(const MatrixData& one, const MatrixData& other, bool nan_any, Distances& distances);
/// The first difference: {"row":0,"column":2,"d":["…","…"]}; null if there is none.
Json json_of(const Differing& found, const MatrixData& one, const MatrixData& other);

} // namespace discern::cli
