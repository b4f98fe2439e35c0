// Infinities, NaN and the signs of zeros: how those of a sum follow from those of its summands.
#pragma once

#include "number.hpp"

#include <functional>
#include <span>

namespace discern {

/// The first of two carried NaN if it is present, else the second.
CarriedNan first_carried(Terms& t, const CarriedNan& first, const CarriedNan& second);

/// Sets the special-value flags and the carried NaN of a sum from those of its summands, in their order.
void join_specials(Terms& t, Number& sum, std::span<const Number> summands);

/// Sets zero_negative and zero_mixed of a sum: the common sign of all summands if each of them counts as zero, else
/// mixed. @param is_zero  whether the i-th summand was zero when it was added
void zero_sign_of_sum(Terms& t, Number& sum, std::span<const Number> summands,
                      const std::function<Term(std::size_t)>& is_zero);

/// What the next sum sees of an inner one under NanRule::rdna: no infinity beside a NaN, since an infinity of the other
/// sign there makes no invalid operation. Two infinities stay, which are an invalid operation themselves.
void hide_infinities_beside_nan(Terms& t, Number& sum);

/// A special value with all conflicts settled; at most one of the three is set.
struct Settled {
    Term nan, positive, negative;
};

/// Of a NaN under NanRule::rdna: of a factor, and made by an invalid operation; of a kept one neither.
struct NanKind {
    Term factor, invalid;
};
NanKind nan_kind(Terms& t, const Number& n);

/// Infinities of the inputs take precedence over tentative ones; two of opposite signs of one kind make NaN.
Settled settle(Terms& t, const Number& n);

} // namespace discern
