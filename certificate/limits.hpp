// Limits of the inputs that a claim is about: which inputs are within them, and whether there are any.
#pragma once

#include "reference.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace discern::certificate {

/// Restrictions of the inputs, each of every pattern of an operand.
struct Limits {
    template <typename T>
    struct Range {
        std::string operand; ///< a, b, sa, sb or c
        T low = 0, high = 0;
        bool operator==(const Range&) const = default;
    };
    bool finite = false;                 ///< no NaN and no infinity in any operand
    bool no_subnormals = false;          ///< in any operand
    std::vector<Range<int>> ranges = {}; ///< a number of that operand is zero, or has an exponent within the bounds
    std::vector<Range<std::uint64_t>> numbers =
        {}; ///< … is a number within the bounds, which are patterns of its format
    bool operator==(const Limits&) const = default;
};

/// The condition that all operands of a unit are within the limits.
/// @throws Error if a bound is no number of the operand's format
Literal allowed(Netlist& n, const Limits& limits, const Unit& unit, const Operands& in);

/// @throws Error if a range is of an operand that the unit does not have, a bound is no number of the operand's format,
/// or no input of the unit is within the limits: of such inputs everything is true
void require_inputs(const Limits& limits, const Unit& unit);

} // namespace discern::certificate
