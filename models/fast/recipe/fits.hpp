// Which of the quick kernels a recipe's numbers allow: those in floats and integers of 32 bits, or of 16, rather than
// in doubles. What each of them needs is in its file in kernels/.
#pragma once

#include "recipe.hpp"

namespace discern::fast {

/// Whether formats have names of their own, no rare parameter is set, and accumulators are kept in f32, or in f64 by
/// units with f64 results: what all kernels but that of steps need. The tree is examined afterwards.
bool is_usual(const Unit& unit);

/// Whether aligning an accumulator to itself drops no bit that the result's rounding keeps.
bool keeps_accumulator(const Unit& unit, const Recipe& recipe);

/// T-FDPA: sets narrow, and what follows from it, for narrow formats, at most with scales of whole blocks, and products
/// in 32 bits.
void find_narrow(const Unit& unit, Recipe& recipe);

/// Whether the kernel for gaps applies: bf16 and tf32, whose products, once scaled, are exact in fp32, with sums in 32
/// bits.
bool fits_gap(const Unit& unit, const Recipe& recipe);

/// TR- and GTR-FDPA: sets gap or narrow where sums of products, c and one bit more fit 32 bits. Bits that F2 keeps
/// below F are kept of sums of 24 bits, too; and bits of a dropped c lie below F.
void find_quick_sum(const Unit& unit, Recipe& recipe);

} // namespace discern::fast
