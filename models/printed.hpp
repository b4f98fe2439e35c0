// Numbers that were printed with fewer digits than tell the numbers of their format apart: 0.123457 stands for several
// numbers of f32, and any of them may be the one that was observed.
//
// Such a number is kept as the nearest pattern, like all others, and beside it as the range of places (place_of in
// format.hpp) of the numbers that are printed so.
#pragma once

#include "evaluate.hpp"
#include "places.hpp"
#include "shape.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace discern {

/// Of a list of vectors; an operand that is known exactly has no ranges.
struct PrintedRanges {
    std::vector<PlaceRange> c, d;   ///< a range for each vector, or none at all
    int c_digits = 0, d_digits = 0; ///< significant digits of the file's numbers; 0: known exactly, or all have equally
                                    ///< many digits behind the point

    bool empty() const { return c.empty() && d.empty(); }
};

/// Whether the pattern is a number in the range. An infinity is in those that end with it; a NaN is in none.
bool lies_in(const Format& format, PlaceRange range, std::uint64_t bits);

/// Whether a unit, whose result is not the observed pattern, may have given what was printed: its result is in the
/// range of d, or, where c is printed too, a result for some c of its range is. The results for the ends of c's range
/// are taken to enclose those between them.
/// @param number    of the vector, from 0
/// @param evaluate  the unit
bool may_be_printed(const PrintedRanges& ranges, std::size_t number, const Shape& shape, const Inputs& inputs,
                    std::uint64_t observed, std::uint64_t result,
                    const std::function<std::uint64_t(const Inputs&)>& evaluate);

} // namespace discern
