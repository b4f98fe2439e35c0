// E, the largest of the summands' reference exponents, and up to which exponents nobody can tell.
//
// Most inputs have exponents below which nothing changes: no summand is cut there, and whoever reads E does not ask.
// All of these become one, so that sums which differ only in what a zero's exponent or a floor is down there are one
// term.
#pragma once

#include "encodings/nodes.hpp"

#include <climits>
#include <optional>
#include <span>

namespace discern {

struct Exponents {
    Ranged largest;                ///< E
    Ranged largest_for_drops;      ///< likewise, told apart further down where something may be dropped
    Term someone;                  ///< 1 bit: whether any summand, or a floor, takes part in E
    int harmless = nothing_counts; ///< exponents at which no summand is cut
    int alike = 0;                 ///< exponents of the summands up to this one are alike
    int lowest = 0;                ///< the lowest of a summand that is not zero
    /// Where a summand is cut, E is the exponent of one that is not zero, or up to this: that of a zero, or a floor.
    int constant = INT_MIN;
};

/// @param floor        as Fuse::floor
/// @param indifferent  exponents of the sum up to this one are alike to whoever reads it
/// @param wraps        whether the register of the sum may wrap
/// @param drops        whether a summand may be dropped
/// @param sticky       whether the sum may have a sticky place
Exponents find_exponents(Terms& t, std::span<const Summand> summands, const Pick<std::optional<int>>& floor,
                         int indifferent, bool wraps, bool drops, bool sticky);

/// E in steps: each becomes the next number that is the phase modulo the step.
void raise_to_steps(Terms& t, Exponents& found, const Pick<std::optional<int>>& step, const Pick<int>& phase);

} // namespace discern
