// One dot product on a unit of the catalogue, in numbers instead of bit patterns: how the published results are stated.
#pragma once

#include "models/format.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace discern::published {

/// The pattern of a number that the format holds exactly. @throws std::invalid_argument for any other number.
std::uint64_t pattern(const Format& format, double number);

/// The number of a pattern: NaN, ±∞ or finite; exact, since no format here is wider than double.
double number(const Format& format, std::uint64_t pattern);

/// d = c + Σ a·b as the unit computes it.
/// @param unit  a catalogue name, overrides included, or notation; not one with scales
/// @param a,b   the first elements, each exact in its format; the others are +0
double dot(const std::string& unit, const std::vector<double>& a, const std::vector<double>& b, double c);

/// The same for patterns.
double dot_of_patterns(const std::string& unit, std::vector<std::uint64_t> a, std::vector<std::uint64_t> b,
                       std::uint64_t c);

} // namespace discern::published
