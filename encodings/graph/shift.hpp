// Cutting bits off a number, in every rounding mode: the one place where the encoder rounds.
#pragma once

#include "encodings/ranged.hpp"
#include "models/rounding.hpp"

namespace discern {

/// Whether a magnitude that was cut must be incremented in its last kept place (1 bit).
/// @param odd_last  the last kept bit;  @param half  the first cut bit;  @param sticky  whether any later bit is set
Term increment(Terms& t, Rounding mode, Term negative, Term odd_last, Term half, Term sticky);

/// Rounds ±magnitude · 2^−amount to an integer.
/// @param amount  may be negative, down to amount.low
/// @return the integer in two's complement, with no more bits than its range needs: the caller sees the width
Term shift_rounded(Terms& t, Term magnitude, Term negative, const Ranged& amount, Rounding mode);

/// magnitude · 2^−amount for amount ≥ 0 with everything that was cut off gathered in the last bit.
Term shift_jammed(Terms& t, Term magnitude, const Ranged& amount);

/// ±magnitude in two's complement, one bit wider.
Term signed_term(Terms& t, Term magnitude, Term negative);

} // namespace discern
