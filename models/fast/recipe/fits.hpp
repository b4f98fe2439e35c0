// Which of the quick kernels a recipe's numbers allow: those in floats and integers of 32 bits, or of 16, rather than
// in doubles. What each of them needs is in its file in kernels/.
#pragma once

#include "recipe.hpp"

namespace discern::fast {

/// Whether F cuts no more of a lone accumulator than the result's rounding does.
bool keeps_accumulator(const Unit& unit, const Recipe& recipe);

/// T-FDPA: sets narrow, and what follows from it, for narrow formats, at most with scales of whole blocks, and products
/// in 32 bits.
void find_narrow(const Unit& unit, Recipe& recipe);

/// Whether scaled operands do: bf16 and tf32, whose products are exact in fp32, with sums in 32 bits.
bool fits_gap(const Unit& unit, const Recipe& recipe);

/// TR- and GTR-FDPA: sets gap or narrow where sums of products, c and one place more fit 32 bits. What F2 keeps below F
/// is kept of sums of 24 bits, too; and what is dropped of c is below F.
void find_quick_sum(const Unit& unit, Recipe& recipe);

} // namespace discern::fast
