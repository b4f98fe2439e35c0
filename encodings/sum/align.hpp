// One summand of a fused sum, cut at a place relative to the largest exponent.
#pragma once

#include "encodings/nodes.hpp"

namespace discern {

/// ±magnitude · 2^place rounded to a multiple of 2^(E − F), in units of 2^(E − most), in two's complement.
/// @param F       all of them at most `most`
/// @param largest E, which is at least the number's exponent unless it is zero
Term aligned_term(Terms& t, const Number& n, const Ranged& largest, const Pick<int>& F, const Pick<Rounding>& mode,
                  int most);

/// Whether that changes the value (1 bit).
Term is_cut(Terms& t, const Number& n, const Ranged& largest, const Pick<int>& F, int most);

} // namespace discern
