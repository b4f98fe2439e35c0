// Bounds of a fused sum for all operands: of its magnitude, of the exponents that decide E, and of its last bit.
#pragma once

#include "encodings/number/nodes.hpp"

#include <span>

namespace discern {

/// An upper bound of an aligned summand's magnitude, in units of 2^E: rounding may make it larger than it was.
double aligned_peak(const Summand& summand);

/// An upper bound of the sum's magnitude, in units of 2^E.
/// @param framed  whether summands may be inverted (frame.hpp)
double largest_sum(std::span<const Summand> summands, bool framed);

/// The exponent of a lower bound of the magnitude of an exact sum that is not zero (Bounds::least).
int least_of_sum(Terms& t, std::span<const Summand> summands);
/// The same of a sum of leaves and roundings none of which loses a bit where E is its own exponent, if no zero and no
/// floor brings a larger E.
int least_of_aligned_sum(Terms& t, std::span<const Summand> summands);

/// An upper bound of E where it is not the i-th summand's own exponent: by the others, a floor, or its zero.
int highest_beside(std::span<const Summand> summands, std::size_t i, const Pick<std::optional<int>>& floor);

/// The largest F of all summands; that of an exact summand counts as 0.
Pick<int> largest_F(Terms& t, std::span<const Summand> summands);

/// Whether no summand loses a bit where E is its own exponent.
bool exact_at_own_exponents(std::span<const Summand> summands);

/// Whether no summand is ever truncated, since all share their scales and keep as many bits as the exponents of their
/// other factors can differ. Bounds::last alone is too low: it is that of the smallest scale.
bool exact_beside_one_scale(std::span<const Summand> summands, const Pick<std::optional<int>>& floor);

/// Bounds::span of the exact sum of such products; infinite if they do not share their scales.
double span_of_one_scale(std::span<const Summand> summands);

} // namespace discern
