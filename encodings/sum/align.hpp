// One summand of a fused sum, cut at a place relative to the largest exponent; and the sum of all of them.
#pragma once

#include "encodings/nodes.hpp"

#include <span>

namespace discern {

/// ±magnitude · 2^place rounded to a multiple of 2^(E − F), in units of 2^(E − most), in two's complement.
/// @param F       all of them at most `most`
/// @param largest E, which is at least the number's exponent unless it is zero
Term aligned_term(Terms& t, const Number& n, const Ranged& largest, const Pick<int>& F, const Pick<Rounding>& mode,
                  int most);

/// Whether that changes the value (1 bit).
Term is_cut(Terms& t, const Number& n, const Ranged& largest, const Pick<int>& F, int most);

/// Bits of the magnitude of a sum of values in two's complement, at least one of them.
int sum_bits(const Terms& t, std::span<const Term> values);

/// The sum of values in two's complement, modulo 2^width.
Term sum_term(Terms& t, std::span<const Term> values, int width);

} // namespace discern
