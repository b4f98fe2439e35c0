// Sets of numbers of a format, as limits of inputs leave them: which patterns are between two numbers, have certain
// exponents, are not subnormal, and whether all of that leaves any.
//
// A number's place is its position in the order of the format's numbers (place_of in format.hpp). A set of numbers is a
// few intervals of places.
#pragma once

#include "format.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discern {

/// Places from `first` to `last`, both included.
struct PlaceRange {
    std::int64_t first = 0, last = 0;
    bool operator==(const PlaceRange&) const = default;
};

/// Ascending and disjoint ranges; none: the empty set.
using PlaceSet = std::vector<PlaceRange>;

/// All numbers of a format. Zeros of both signs have one place.
PlaceSet all_numbers(const Format& format);
/// The numbers from `low` to `high`, both included; infinite ends are none.
PlaceSet numbers_between(const Format& format, double low, double high);
/// Zeros, and the numbers whose exponents are from `low` to `high`, both included. A subnormal has emin; in fixed point
/// all have.
PlaceSet numbers_of_exponents(const Format& format, int low, int high);
/// The numbers that are not subnormal, zeros included.
PlaceSet numbers_not_subnormal(const Format& format);
/// The intersection.
PlaceSet common(const PlaceSet& one, const PlaceSet& other);

/// The sentence for an operand of which these limits leave nothing.
/// @param limits  as they are written: "--values a:1..2", "--no-subnormals"
std::string no_input_left(const Format& format, std::string_view operand, std::span<const std::string> limits);

} // namespace discern
