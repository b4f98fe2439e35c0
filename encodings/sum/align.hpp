// Alignment: a summand of a fused sum is rounded to a multiple of 2^(E − F), where E is the common exponent; and the
// sum of the aligned summands.
#pragma once

#include "encodings/number/nodes.hpp"

#include <span>

namespace discern {

/// ±magnitude · 2^lsb rounded to a multiple of 2^(E − F), in units of 2^(E − most), in two's complement.
/// @param F       the possible numbers of fraction bits, all at most `most`
/// @param largest E, which is at least the number's exponent unless it is zero
Term aligned_term(Terms& t, const Number& n, const Ranged& largest, const Pick<int>& F, const Pick<Rounding>& mode,
                  int most);

/// Whether the bits below 2^(E − F) are not all zero (1 bit).
Term loses_bits(Terms& t, const Number& n, const Ranged& largest, const Pick<int>& F, int most);

/// The number of bits that hold the magnitude of a sum of one or more values in two's complement.
int sum_bits(const Terms& t, std::span<const Term> values);

/// The sum of values in two's complement, modulo 2^width.
Term sum_term(Terms& t, std::span<const Term> values, int width);

} // namespace discern
