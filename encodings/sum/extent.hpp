// How far a fused sum reaches, whatever the operands: its magnitude, the exponents that others bring, its last place.
#pragma once

#include "encodings/nodes.hpp"

#include <span>

namespace discern {

/// The largest magnitude of the sum in units of 2^E, or more.
/// @param framed  whether summands may be inverted (frame.hpp)
double largest_sum(std::span<const Summand> summands, bool framed);

/// The least magnitude of an exact sum that is not zero, as Bounds::least.
int least_of_sum(Terms& t, std::span<const Summand> summands);

/// The pattern of the only summand that is ever anything but +0, if it has one and is never −0 itself.
std::optional<std::pair<Term, FormatId>> pattern_of_sum(Terms& t, std::span<const Summand> summands);

/// The largest E that floors and others than the i-th summand may bring, or its own zeros.
int highest_beside(std::span<const Summand> summands, std::size_t i, const Pick<std::optional<int>>& floor);

/// The largest F, as it is written; of exact ones 0.
Pick<int> largest_F(Terms& t, std::span<const Summand> summands);

/// Whether no summand is cut where E is its own exponent.
bool uncut_by_themselves(std::span<const Summand> summands);

} // namespace discern
