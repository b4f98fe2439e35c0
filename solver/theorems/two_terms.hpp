// A theorem about sums of one or two terms: when alignment is as good as exact.
//
// Where only two terms are added, the one with the larger exponent is not cut, and the other is cut only if it is so
// much smaller that the sum has nearly the first one's magnitude. What is cut is then below every place at which the
// result is rounded, and a cut that keeps the side of these places (odd, or in the direction of the result) changes
// nothing. Nor does any other cut of a product, if no product of two significands is so near such a place
// (product_digits.hpp). That is not so for three terms: two may cancel, and leave what is cut of the third to be seen.
#pragma once

#include "ranges.hpp"

namespace discern {

/// Whether the sum under the rounding is one of at most two terms, which alignment changes in no way that shows; not at
/// a floor, and not at the exponent of a zero.
bool is_as_exact(const Round& round, const Unit& unit, const Ranges& ranges);

} // namespace discern
