#include "factors.hpp"

#include "cli/files/vector_file.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"

#include <fmt/format.h>

namespace discern::cli {

namespace {

std::optional<MatrixSize> rows_and_columns(const std::optional<GemmSize>& size, std::size_t GemmSize::*rows,
                                           std::size_t GemmSize::*columns) {
    return size ? std::optional(MatrixSize{(*size).*rows, (*size).*columns}) : std::nullopt;
}

} // namespace

Factors read_factors(const Unit& unit, const std::string& a, const std::string& b, const std::string& c,
                     const std::optional<GemmSize>& asked, const ReadAs& as, const Streams& io,
                     MatrixNumbers& numbers) {
    Factors f;
    f.a = read_matrix(a, unit.a, Part::a, rows_and_columns(asked, &GemmSize::m, &GemmSize::k), as, io, numbers);
    f.b = read_matrix(b, unit.b, Part::b, rows_and_columns(asked, &GemmSize::k, &GemmSize::n), as, io, numbers);
    if (f.a.columns != f.b.rows)
        throw Error(fmt::format("A is {} x {} and B is {} x {}: A must have as many columns as B has rows", f.a.rows,
                                f.a.columns, f.b.rows, f.b.columns));
    const MatrixSize result{f.a.rows, f.b.columns};
    if (!unit.c && !c.empty()) throw Error("C was given, but the unit has no accumulator");
    f.c = c.empty() ? MatrixData(unit.c.value_or(unit.d), result.rows, result.columns)
                    : read_matrix(c, *unit.c, Part::c, result, as, io, numbers);
    return f;
}

Differing differing(const MatrixData& one, const MatrixData& other, bool nan_any, Distances& distances) {
    const Format& f = format(one.format);
    Differing found;
    for (std::size_t i = 0; i < one.rows * one.columns; ++i) {
        ++found.compared;
        const std::uint64_t d1 = one.at(i), d2 = other.at(i);
        if (same_observation(f, nan_any, d1, d2)) continue;
        distances.add(d1, d2);
        if (found.different++ > 0) continue;
        found.row = i / one.columns;
        found.column = i % one.columns;
    }
    return found;
}

Json json_of(const Differing& found, const MatrixData& one, const MatrixData& other) {
    if (found.different == 0) return nullptr;
    const Format& f = format(one.format);
    const std::size_t i = found.row * one.columns + found.column;
    return {{"row", found.row}, {"column", found.column}, {"d", {to_hex(f, one.at(i)), to_hex(f, other.at(i))}}};
}

} // namespace discern::cli
