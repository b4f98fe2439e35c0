// Shifting right and rounding, in every mode: the only code of the encoder that rounds.
#pragma once

#include "models/rounding.hpp"
#include "ranged.hpp"

namespace discern {

/// Whether a magnitude that was truncated must be incremented in its last kept bit (1 bit).
/// @param odd_last  the last kept bit;  @param half  the first dropped bit;  @param sticky  whether any later bit is
///                  set
Term increment(Terms& t, Rounding mode, Term negative, Term odd_last, Term half, Term sticky);

/// Rounds ±magnitude · 2^−amount to an integer.
/// @param amount  may be negative
/// @return the integer in two's complement, with no more bits than its range needs: the caller sees the width
Term shift_rounded(Terms& t, Term magnitude, Term negative, const Ranged& amount, Rounding mode);

/// magnitude · 2^−amount for amount ≥ 0, with the disjunction of the dropped bits or-ed into the last bit (jamming).
Term shift_jammed(Terms& t, Term magnitude, const Ranged& amount);

/// ±magnitude in two's complement, one bit wider.
Term signed_term(Terms& t, Term magnitude, Term negative);

} // namespace discern
