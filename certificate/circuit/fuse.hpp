// The sum of aligned terms: the largest exponent, a register relative to it that truncates, an exact adder.
// docs/notation.md, "Fuse".
#pragma once

#include "rounding.hpp"
#include "specials.hpp"

#include <algorithm>

namespace discern::circuit {

/// A term of a sum, and how it is aligned.
template <Domain D>
struct SumTerm {
    Number<D> number;
    const Child* child;
};

/// A term in units of 2^(E − F), where E is the sum's exponent.
template <Domain D>
struct Aligned {
    Word<D> amount, shifted; ///< of the shift that aligns it, and what that leaves
    Word<D> magnitude;
    int F;
    Bit<D> changed; ///< by its rounding, or dropped
};

template <Domain D>
struct SumStages {
    Maximum<D> maximum;             ///< of the exponents
    std::vector<Bit<D>> takes_part; ///< in it: of each term, and then of a floor
    Integer<D> E;
    std::vector<Aligned<D>> aligned;
    Total<D> total;
    Word<D> sum; ///< in two's complement
    Number<D> result;
};

template <Domain D>
Bit<D> is_nonzero(D& d, const Number<D>& x) {
    return d.any(x.magnitude);
}

/// The terms with the exponents by which they take part in the maximum: relative to these their values are larger.
template <Domain D>
std::vector<SumTerm<D>> with_less(std::vector<SumTerm<D>> terms) {
    for (SumTerm<D>& term : terms) {
        const int less = term.child->less;
        term.number.exponent = offset_by(term.number.exponent, -less);
        term.number.base = offset_by(term.number.base, -less);
        term.number.fraction_bits -= less;
    }
    return terms;
}

/// E, which terms took part, and whether some did.
template <Domain D>
struct SumExponent {
    Largest<D> largest;
    std::vector<Bit<D>> takes_part;
    Bit<D> here;
};

template <Domain D>
SumExponent<D> sum_exponent(D& d, const Fuse& fuse, const std::vector<SumTerm<D>>& terms) {
    using Kind = ZeroExponent::Kind;
    std::vector<Integer<D>> exponents;
    std::vector<Bit<D>> takes_part;
    for (const SumTerm<D>& term : terms) {
        const ZeroExponent& zero = term.child->zero;
        const Bit<D> nonzero = is_nonzero(d, term.number);
        const Bit<D> zero_takes_part = zero.kind == Kind::constant ? d.one()
                                       : zero.kind == Kind::own    ? term.number.has_exponent
                                                                   : d.zero();
        exponents.push_back(term.number.exponent);
        if (zero.kind == Kind::constant)
            exponents.back() = mux(d, nonzero, exponents.back(), integer(d, zero.value - term.child->less));
        takes_part.push_back(d.bit_or(nonzero, zero_takes_part));
    }
    if (fuse.floor) {
        exponents.push_back(integer(d, *fuse.floor));
        takes_part.push_back(d.one());
    }
    Largest<D> largest = circuit::largest(d, exponents, takes_part);
    Integer<D>& E = largest.value;
    // In steps: the next number that is the phase modulo the step, a power of two.
    if (const int step = fuse.step.value_or(1); step > 1) {
        const int below = ((E.low - fuse.phase) % step + step) % step; // from a number with the phase to the lowest
        const int width = std::max(d.width(E.bits), 7) + 1, digits = bits_for(step - 1);
        E.bits = d.add(d.resize(E.bits, width), d.constant(static_cast<std::uint64_t>(below + step - 1), width));
        E.bits = d.concat(d.slice(E.bits, digits, width - digits), d.constant(0, digits));
        E.low -= below;
        E.high += step - 1;
    }
    const Bit<D> here = any_of(d, takes_part);
    return {std::move(largest), std::move(takes_part), here};
}

template <Domain D>
Aligned<D> align(D& d, const SumTerm<D>& term, const Integer<D>& E) {
    const Number<D>& x = term.number;
    const Child& how = *term.child;
    // The register before the shift: bit 0 is worth 2^(base − below). Exact terms lose nothing below.
    const int kept = how.F ? *how.F : std::max({0, x.fraction_bits, E.high - x.lsb});
    const int below = std::max(kept + 1, x.fraction_bits);
    // Of a number that is less than 2^base there would be nothing left above the truncated bits: a zero is.
    const int truncated = below - kept, wider = below - x.fraction_bits;
    const Word<D> unshifted = d.slice(x.magnitude, -wider, std::max(d.width(x.magnitude) + wider, truncated + 1));
    const Integer<D> amount = difference(d, E, x.base, 0, std::max(0, E.high - x.base.low));
    const Shifted<D> shifted = d.shift_right(unshifted, amount.bits); // bit 0 is worth 2^(E − below)

    Word<D> whole = d.slice(shifted.word, truncated, d.width(shifted.word) - truncated);
    const Truncated<D> at{.negative = x.negative,
                          .lsb = d.bit(whole, 0),
                          .guard = d.bit(shifted.word, truncated - 1),
                          .sticky = d.bit_or(shifted.sticky, d.any(d.slice(shifted.word, 0, truncated - 1)))};
    if (how.F && how.rounding != Rounding::rz)
        whole = d.increment(d.resize(whole, d.width(whole) + 1), rounds_away(d, how.rounding, at));
    Aligned<D> result{amount.bits, shifted.word, std::move(whole), kept, d.bit_or(at.guard, at.sticky)};
    if (how.drop) {
        const Bit<D> nonzero = is_nonzero(d, x);
        const Bit<D> is_far_below = less(d, offset_by(x.exponent, *how.drop + how.less), E);
        const Bit<D> dropped = d.bit_and(is_far_below, nonzero);
        result.magnitude = d.mask(d.bit_not(dropped), result.magnitude);
        result.changed = d.bit_or(result.changed, dropped);
    }
    return result;
}

/// The sign relative to which the sum is formed, and whether it has a frame.
template <Domain D>
struct Frame {
    Bit<D> here, negative;
};

template <Domain D>
bool is_c(const SumTerm<D>& term) {
    return std::holds_alternative<Accumulator>(term.child->get().kind);
}

template <Domain D>
Frame<D> frame_of(D& d, const Fuse& fuse, const std::vector<SumTerm<D>>& terms, Bit<D> some_take_part) {
    if (fuse.frame == SignFrame::none) return {d.zero(), d.zero()};
    const Number<D>& c = std::find_if(terms.begin(), terms.end(), is_c<D>)->number;
    const Bit<D> nonzero = is_nonzero(d, c);
    // A zero of c has seen one sign, its own.
    const Bit<D> of_zero = fuse.frame == SignFrame::c ? c.seen_minus : d.zero();
    return {d.bit_and(some_take_part, fuse.frame == SignFrame::nonzero_c ? nonzero : d.one()),
            d.mux(nonzero, c.negative, of_zero)};
}

/// Whether a term is in one's complement where it should be in two's complement.
template <Domain D>
Bit<D> inverts(D& d, const Fuse& fuse, const Frame<D>& frame, const Number<D>& x, const Word<D>& aligned) {
    const Bit<D> nonzero = is_nonzero(d, x);
    const Bit<D> opposes = d.bit_xor(d.mux(nonzero, x.negative, x.seen_minus), frame.negative);
    const Bit<D> counts = fuse.opposed == Opposed::all       ? d.one()
                          : fuse.opposed == Opposed::nonzero ? nonzero
                                                             : d.any(aligned);
    return d.bit_and(d.bit_and(frame.here, opposes), counts);
}

/// The exponent of the last bit of the aligned term: all of its values are multiples of 2 to that.
template <Domain D>
int lsb_of(const SumTerm<D>& term, const Integer<D>& E) {
    return term.child->F ? std::max(term.number.lsb, E.low - *term.child->F) : term.number.lsb;
}

template <Domain D>
SumStages<D> fuse(D& d, const Fuse& fuse, const std::vector<SumTerm<D>>& given) {
    const std::vector<SumTerm<D>> terms = with_less(given);
    Number<D> sum(d);
    std::vector<const Number<D>*> numbers;
    for (const SumTerm<D>& term : terms) numbers.push_back(&term.number);
    combine_specials(d, numbers, sum);
    SumExponent<D> exponent = sum_exponent(d, fuse, terms);
    const Integer<D>& E = exponent.largest.value;

    // Aligned, and then in units of 2^(E − F) with the largest F.
    std::vector<Aligned<D>> aligned;
    int F = 0, width = 0;
    for (const SumTerm<D>& term : terms) {
        aligned.push_back(align(d, term, E));
        F = std::max(F, aligned.back().F);
    }
    for (const Aligned<D>& x : aligned) width = std::max(width, d.width(x.magnitude) + F - x.F);
    const Frame<D> frame = frame_of(d, fuse, terms, exponent.here);
    const bool framed = frame.here != d.zero();
    if (framed) ++width;
    for (std::size_t two = 1; two < terms.size(); two *= 2) ++width;
    ++width; // the sign

    Total<D> total = d.total(width);
    Bit<D> cancelled = d.zero(), lost = d.zero();
    sum.lsb = lsb_of(terms.front(), E);
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const Number<D>& x = terms[i].number;
        const Word<D>& value = aligned[i].magnitude;
        const int at = F - aligned[i].F;
        d.add_signed(total, value, x.negative, at);
        cancelled = d.bit_or(cancelled, d.any(value));
        if (framed && !is_c(terms[i])) { // 1 to the negative side, or to the positive one, at the term's lsb
            const Bit<D> one = inverts(d, fuse, frame, x, value);
            const Bit<D> down = d.bit_and(one, d.bit_not(frame.negative));
            const Word<D> unit = d.concat(d.repeat(down, width - 1), d.repeat(one, 1));
            d.add_word(total, d.slice(unit, -at, width));
            cancelled = d.bit_or(cancelled, one);
        }
        lost = d.bit_or(lost, aligned[i].changed);
        sum.seen_plus = d.bit_or(sum.seen_plus, x.seen_plus);
        sum.seen_minus = d.bit_or(sum.seen_minus, x.seen_minus);
        sum.lsb = std::min(sum.lsb, lsb_of(terms[i], E));
        if (framed) sum.lsb = std::min(sum.lsb, E.low - aligned[i].F);
    }
    Word<D> word = d.word(total);
    if (fuse.carry) word = d.resize(word, std::min(width, 1 + *fuse.carry + 2 + F));

    sum.negative = msb(d, word);
    sum.magnitude = d.negate_if(sum.negative, word);
    if (fuse.sticky) {
        sum.magnitude = d.concat(sum.magnitude, d.repeat(lost, 1));
        sum.lsb = std::min(sum.lsb, E.low - F - 1);
    }
    sum.base = sum.exponent = E;
    sum.fraction_bits = F + (fuse.sticky ? 1 : 0);
    sum.has_exponent = exponent.here;
    const Bit<D> nonzero = is_nonzero(d, sum);
    sum.seen_plus = d.mux(nonzero, d.bit_not(sum.negative), d.bit_or(sum.seen_plus, cancelled));
    sum.seen_minus = d.mux(nonzero, sum.negative, d.bit_or(sum.seen_minus, cancelled));
    if (fuse.plus) {
        sum.seen_plus = d.bit_or(sum.seen_plus, d.bit_not(nonzero));
        sum.seen_minus = d.bit_and(sum.seen_minus, nonzero);
    }
    return {std::move(exponent.largest.maximum),
            std::move(exponent.takes_part),
            sum.base,
            std::move(aligned),
            std::move(total),
            std::move(word),
            std::move(sum)};
}

} // namespace discern::circuit
