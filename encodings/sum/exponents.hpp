// E, the common exponent of a sum: the largest of the summands' reference exponents; and the exponents that do not
// matter.
//
// Up to a certain exponent, the value of E changes nothing: it truncates no summand, and the consumer of the sum is
// indifferent to it. All such exponents are replaced by one (`base` in the source), so that two sums which differ only
// in the exponents of zeros, or in a floor, below it become the same term.
#pragma once

#include "encodings/number/nodes.hpp"

#include <climits>
#include <optional>
#include <span>

namespace discern {

struct Exponents {
    Ranged largest;           ///< E
    Ranged largest_for_drops; ///< E, exact also for those smaller exponents that decide whether a summand is dropped
    Term someone;             ///< 1 bit: at least one summand, or a floor, takes part in E
    int harmless = nothing_counts; ///< E up to this exponent truncates no summand
    int indifferent = 0;           ///< exponents of the summands up to this one do not affect the sum
    int lowest = 0;                ///< the lowest exponent of a summand that is not zero
    /// The largest exponent that zeros and floors can bring. An E above it is the exponent of a summand that is not
    /// zero.
    int constant = INT_MIN;
};

/// @param floor        as Fuse::floor
/// @param indifferent  exponents of the sum up to this one do not affect its consumer
/// @param wraps        whether the register of the sum may wrap
/// @param drops        whether a summand may be dropped
/// @param sticky       whether the sum may have a sticky bit
Exponents find_exponents(Terms& t, std::span<const Summand> summands, const Pick<std::optional<int>>& floor,
                         int indifferent, bool wraps, bool drops, bool sticky);

/// Raises each E to the next number that is `phase` modulo `step`.
void raise_to_steps(Terms& t, Exponents& found, const Pick<std::optional<int>>& step, const Pick<int>& phase);

} // namespace discern
