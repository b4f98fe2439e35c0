// Results that were printed with so few digits that all of them look like exact numbers: 3 of %.0f stands for all
// numbers from 2.5 to 3.5, and nothing in the column of d says so. The exact results of the vectors do: where these
// have a fraction, and d is no farther from them than half of its last digit, again and again, d was rounded by its
// printing.
#pragma once

#include "decimal.hpp"
#include "models/shape.hpp"
#include "models/vectors.hpp"

#include <span>

namespace discern {

/// How decimals without a fraction, or with few digits, may have been printed. @param as_they_look  printed_digits()
PrintedDigits coarsest_printing(std::span<const std::string_view> words, PrintedDigits as_they_look);

/// How vectors' results lie to what they are exactly, beyond what a unit of d's format may lose on the way.
struct AgainstExact {
    std::size_t rounded = 0; ///< d is off by no more than half of its last digit,
    std::size_t off = 0;     ///< or by more
    /// Whether d was rounded by its printing, for certain.
    bool is_printing() const { return rounded >= 8 && off == 0; }
};
/// @param ranges  of d, of each vector, if it was printed so
AgainstExact against_exact(const Shape& shape, std::span<const Vector> vectors, std::span<const PlaceRange> ranges);

} // namespace discern
