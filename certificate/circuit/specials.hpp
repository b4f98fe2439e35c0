// NaN and infinities of products and sums, and what a NaN carries: docs/notation.md, "Special values".
#pragma once

#include "number.hpp"

namespace discern::circuit {

/// Whether the unit's NaN are of a factor, of an invalid operation, or kept.
inline bool has_kinds(const Unit& unit) { return unit.nan.kind == NanRule::Kind::rdna; }

/// A number whose NaN, if it is one, is kept: an accumulator, or what was rounded.
template <Domain D>
Number<D> kept(D& d, const Unit& unit, Number<D> x) {
    if (has_kinds(unit)) x.nan_kind = {d.zero(), d.zero(), invalid_is_as_of_factor(unit)};
    return x;
}

/// The special value of a product of factors; only a and b, the first two, have something to carry.
/// @param negative    the product's sign
/// @param unit        whose rule says whether NaN have kinds
/// @param beats_zero  infinity times zero is infinite
template <Domain D>
void multiply_specials(D& d, const Unit& unit, const std::vector<const Number<D>*>& factors, Bit<D> negative,
                       Number<D>& product, bool beats_zero = false) {
    Bit<D> nan = d.zero(), infinite = d.zero(), zero = d.zero();
    for (const Number<D>* x : factors) {
        nan = d.bit_or(nan, x->special.nan);
        infinite = d.bit_or(infinite, d.bit_or(x->special.plus, x->special.minus));
        zero = d.bit_or(zero, d.bit_not(d.any(x->magnitude))); // an infinity has a hidden bit
    }
    if (!beats_zero) nan = d.bit_or(nan, d.bit_and(infinite, zero));
    product.special.nan = nan;
    product.special.plus = d.bit_and(infinite, d.bit_not(negative));
    product.special.minus = d.bit_and(infinite, negative);
    const typename Number<D>::Content &a = factors[0]->content, &b = factors[1]->content;
    product.content.here = d.bit_or(a.here, b.here);
    product.content.negative = d.mux(a.here, a.negative, b.negative);
    product.content.payload = d.mux(a.here, a.payload, b.payload);
    if (has_kinds(unit)) product.nan_kind = {product.content.here, nan, invalid_is_as_of_factor(unit)};
}

/// The special value of a sum of numbers, and what a NaN carries.
template <Domain D>
void combine_specials(D& d, const std::vector<const Number<D>*>& terms, Number<D>& sum) {
    using Special = typename Number<D>::Special;
    Special seen = sum.special; // none
    for (const Number<D>* term : terms)
        for (const auto kind : {&Special::nan, &Special::plus, &Special::minus, &Special::tentative_nan,
                                &Special::tentative_plus, &Special::tentative_minus})
            seen.*kind = d.bit_or(seen.*kind, term->special.*kind);
    Special& result = sum.special;
    result.nan = d.bit_or(seen.nan, d.bit_and(seen.plus, seen.minus));
    result.plus = d.bit_and(seen.plus, d.bit_not(result.nan));
    result.minus = d.bit_and(seen.minus, d.bit_not(result.nan));
    // Tentative ones count if there is no other.
    const Bit<D> none = d.bit_not(any_of(d, {seen.nan, seen.plus, seen.minus}));
    const Bit<D> tentative_nan = d.bit_or(seen.tentative_nan, d.bit_and(seen.tentative_plus, seen.tentative_minus));
    result.tentative_nan = d.bit_and(none, tentative_nan);
    result.tentative_plus = d.bit_and(none, d.bit_and(seen.tentative_plus, d.bit_not(tentative_nan)));
    result.tentative_minus = d.bit_and(none, d.bit_and(seen.tentative_minus, d.bit_not(tentative_nan)));
    // The first term that carries something.
    for (const Number<D>* term : terms) {
        const Bit<D> first = d.bit_and(term->content.here, d.bit_not(sum.content.here));
        sum.content.negative = d.mux(first, term->content.negative, sum.content.negative);
        sum.content.payload = d.mux(first, term->content.payload, sum.content.payload);
        sum.content.here = d.bit_or(sum.content.here, term->content.here);
    }
    for (const Number<D>* term : terms) {
        if (!term->nan_kind) continue;
        if (!sum.nan_kind)
            sum.nan_kind = {d.zero(), d.bit_and(seen.plus, seen.minus), term->nan_kind->invalid_as_of_factor};
        sum.nan_kind->factor = d.bit_or(sum.nan_kind->factor, term->nan_kind->factor);
        sum.nan_kind->invalid = d.bit_or(sum.nan_kind->invalid, term->nan_kind->invalid);
    }
}

} // namespace discern::circuit
