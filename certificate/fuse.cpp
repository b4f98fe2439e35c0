// The sum of aligned terms: the largest exponent, a register relative to it, cuts, a ripple adder.
#include "number.hpp"

#include <algorithm>
#include <array>

namespace discern::certificate {

namespace {

Literal nonzero(Netlist& n, const Number& x) { return any(n, x.magnitude); }

/// E, and whether anybody took part.
struct Largest {
    Integer exponent;
    Literal here;
};

Largest largest_exponent(Netlist& n, const Fuse& fuse, const std::vector<Term>& terms) {
    using Kind = ZeroExponent::Kind;
    std::vector<Integer> exponents;
    Bits take_part;
    for (const Term& term : terms) {
        const ZeroExponent& zero = term.child->zero;
        const Literal is_nonzero = nonzero(n, term.number);
        const Literal zero_takes_part = zero.kind == Kind::constant ? yes
                                        : zero.kind == Kind::own    ? term.number.has_exponent
                                                                    : no;
        exponents.push_back(term.number.exponent);
        if (zero.kind == Kind::constant)
            exponents.back() = choose(n, is_nonzero, exponents.back(), integer(zero.value));
        take_part.push_back(n.either(is_nonzero, zero_takes_part));
    }
    if (fuse.floor) {
        exponents.push_back(integer(*fuse.floor));
        take_part.push_back(yes);
    }
    Integer E = largest(n, exponents, take_part);
    // In steps: the next number that is the phase modulo the step.
    if (const int step = fuse.step.value_or(1); step > 1) {
        const int below = ((E.low - fuse.phase) % step + step) % step; // from a number with the phase to the lowest
        const int places = std::max(width(E.bits), 7) + 1;
        E.bits = add(n, resized(E.bits, places), constant(static_cast<std::uint64_t>(below + step - 1), places));
        for (int digit = 0; 1 << digit < step; ++digit) E.bits[static_cast<std::size_t>(digit)] = no;
        E.low -= below;
        E.high += step - 1;
    }
    return {std::move(E), any(n, take_part)};
}

/// A term in units of 2^(E − F).
struct Aligned {
    Bits magnitude;
    int F;
    Literal changed; ///< by its rounding, or dropped
};

Aligned align(Netlist& n, const Term& term, const Integer& E) {
    const Number& x = term.number;
    const Child& how = *term.child;
    // The register before the shift: bit 0 is worth 2^(base − below). Exact terms lose nothing below.
    const int kept = how.F ? *how.F : std::max({0, x.places, E.high - x.last});
    const int below = std::max(kept + 1, x.places);
    // Of a number that is less than 2^base there would be nothing left above the cut: a zero is.
    const int cut = below - kept;
    const Bits unshifted =
        part(x.magnitude, x.places - below, std::max(width(x.magnitude) + below - x.places, cut + 1));
    const Integer amount = difference(n, E, x.base, 0, std::max(0, E.high - x.base.low));
    const Shifted shifted = shift_right(n, unshifted, amount.bits); // bit 0 is worth 2^(E − below)

    Bits whole = part(shifted.word, cut, width(shifted.word) - cut);
    const Cut at{.negative = x.negative,
                 .odd_last = whole.front(),
                 .half = shifted.word[static_cast<std::size_t>(cut - 1)],
                 .rest = n.either(shifted.lost, any(n, part(shifted.word, 0, cut - 1)))};
    if (how.F && how.rounding != Rounding::rz)
        whole = increment(n, resized(whole, width(whole) + 1), rounds_away(n, how.rounding, at));
    Aligned result{std::move(whole), kept, n.either(at.half, at.rest)};
    if (how.drop) {
        const Literal is_nonzero = nonzero(n, x);
        const Literal is_far_below = less(n, moved(x.exponent, *how.drop), E);
        const Literal dropped = n.both(is_far_below, is_nonzero);
        result.magnitude = only_if(n, opposite(dropped), result.magnitude);
        result.changed = n.either(result.changed, dropped);
    }
    return result;
}

/// Whose sign the terms are negated by, and whether they are.
struct Frame {
    Literal here = no, negative = no;
};

bool is_c(const Term& term) { return std::holds_alternative<Accumulator>(term.child->get().kind); }

Frame frame_of(Netlist& n, const Fuse& fuse, const std::vector<Term>& terms, Literal somebody) {
    if (fuse.frame == SignFrame::none) return {};
    const Number& c = std::find_if(terms.begin(), terms.end(), is_c)->number;
    const Literal is_nonzero = nonzero(n, c);
    // A zero of c has seen one sign, its own.
    const Literal of_zero = fuse.frame == SignFrame::c ? c.seen_minus : no;
    return {n.both(somebody, fuse.frame == SignFrame::nonzero_c ? is_nonzero : yes),
            n.choice(is_nonzero, c.negative, of_zero)};
}

/// Whether a term is inverted where it should be negated.
Literal inverts(Netlist& n, const Fuse& fuse, const Frame& frame, const Number& x, const Bits& aligned) {
    const Literal is_nonzero = nonzero(n, x);
    const Literal opposes = n.different(n.choice(is_nonzero, x.negative, x.seen_minus), frame.negative);
    const Literal counts = fuse.opposed == Opposed::all       ? yes
                           : fuse.opposed == Opposed::nonzero ? is_nonzero
                                                              : any(n, aligned);
    return n.both(n.both(frame.here, opposes), counts);
}

/// All values that the aligned term can have are multiples of 2 to that.
int last_of(const Term& term, const Integer& E) {
    return term.child->F ? std::max(term.number.last, E.low - *term.child->F) : term.number.last;
}

} // namespace

void combine_specials(Netlist& n, const std::vector<const Number*>& terms, Number& sum) {
    Number::Special seen;
    for (const Number* term : terms)
        for (const auto kind : {&Number::Special::nan, &Number::Special::plus, &Number::Special::minus,
                                &Number::Special::soft_nan, &Number::Special::soft_plus, &Number::Special::soft_minus})
            seen.*kind = n.either(seen.*kind, term->special.*kind);
    Number::Special& result = sum.special;
    result.nan = n.either(seen.nan, n.both(seen.plus, seen.minus));
    result.plus = n.both(seen.plus, opposite(result.nan));
    result.minus = n.both(seen.minus, opposite(result.nan));
    // Soft ones count if there is no other.
    const Literal none = opposite(any(n, {seen.nan, seen.plus, seen.minus}));
    const Literal soft_nan = n.either(seen.soft_nan, n.both(seen.soft_plus, seen.soft_minus));
    result.soft_nan = n.both(none, soft_nan);
    result.soft_plus = n.both(none, n.both(seen.soft_plus, opposite(soft_nan)));
    result.soft_minus = n.both(none, n.both(seen.soft_minus, opposite(soft_nan)));
    // The first term that carries something.
    for (const Number* term : terms) {
        const Literal first = n.both(term->content.here, opposite(sum.content.here));
        sum.content.negative = n.choice(first, term->content.negative, sum.content.negative);
        sum.content.payload = choose(n, first, term->content.payload, sum.content.payload);
        sum.content.here = n.either(sum.content.here, term->content.here);
    }
}

Literal rounds_away(Netlist& n, Rounding mode, const Cut& cut) {
    const Literal inexact = n.either(cut.half, cut.rest);
    switch (mode) {
    case Rounding::rz: return no;
    case Rounding::rd: return n.both(cut.negative, inexact);
    case Rounding::ru: return n.both(opposite(cut.negative), inexact);
    case Rounding::rne: return n.both(cut.half, n.either(cut.rest, cut.odd_last));
    case Rounding::rna: return cut.half;
    case Rounding::odd: return n.both(inexact, opposite(cut.odd_last));
    }
    return no;
}

Number fuse(Netlist& n, const Fuse& fuse, const std::vector<Term>& terms) {
    Number sum;
    std::vector<const Number*> numbers;
    for (const Term& term : terms) numbers.push_back(&term.number);
    combine_specials(n, numbers, sum);
    const auto [E, here] = largest_exponent(n, fuse, terms);

    // Aligned, and then in places of 2^(E − F) with the largest F.
    std::vector<Aligned> aligned;
    int F = 0, places = 0;
    for (const Term& term : terms) {
        aligned.push_back(align(n, term, E));
        F = std::max(F, aligned.back().F);
    }
    for (const Aligned& x : aligned) places = std::max(places, width(x.magnitude) + F - x.F);
    const Frame frame = frame_of(n, fuse, terms, here);
    if (frame.here != no) ++places;
    for (std::size_t two = 1; two < terms.size(); two *= 2) ++places;
    ++places; // the sign

    Bits total = constant(0, places);
    Literal cancelled = no, lost = no;
    sum.last = last_of(terms.front(), E);
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const Number& x = terms[i].number;
        const Bits value = part(aligned[i].magnitude, aligned[i].F - F, places);
        total = add(n, total, reversed_if(n, x.negative, value), x.negative);
        cancelled = n.either(cancelled, any(n, value));
        if (frame.here != no &&
            !is_c(terms[i])) { // 1 to the negative side, or to the positive one, at the term's last place
            const Literal one = inverts(n, fuse, frame, x, value);
            const Literal down = n.both(one, opposite(frame.negative));
            Bits unit(static_cast<std::size_t>(places), down);
            unit[0] = one;
            total = add(n, total, part(resized(unit, places), aligned[i].F - F, places));
            cancelled = n.either(cancelled, one);
        }
        lost = n.either(lost, aligned[i].changed);
        sum.seen_plus = n.either(sum.seen_plus, x.seen_plus);
        sum.seen_minus = n.either(sum.seen_minus, x.seen_minus);
        sum.last = std::min(sum.last, last_of(terms[i], E));
        if (frame.here != no) sum.last = std::min(sum.last, E.low - aligned[i].F);
    }
    if (fuse.carry) total = resized(total, std::min(places, 1 + *fuse.carry + 2 + F));

    sum.negative = total.back();
    sum.magnitude = increment(n, reversed_if(n, sum.negative, total), sum.negative);
    if (fuse.sticky) {
        sum.magnitude.insert(sum.magnitude.begin(), lost);
        sum.last = std::min(sum.last, E.low - F - 1);
    }
    sum.base = sum.exponent = E;
    sum.places = F + (fuse.sticky ? 1 : 0);
    sum.has_exponent = here;
    const Literal is_nonzero = nonzero(n, sum);
    sum.seen_plus = n.choice(is_nonzero, opposite(sum.negative), n.either(sum.seen_plus, cancelled));
    sum.seen_minus = n.choice(is_nonzero, sum.negative, n.either(sum.seen_minus, cancelled));
    if (fuse.zero_is_plus) {
        sum.seen_plus = n.either(sum.seen_plus, opposite(is_nonzero));
        sum.seen_minus = n.both(sum.seen_minus, is_nonzero);
    }
    return sum;
}

} // namespace discern::certificate
