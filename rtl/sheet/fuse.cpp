// The sum of aligned terms: the largest exponent, a register relative to it, cuts, an adder. As certificate/fuse.cpp.
#include "number.hpp"

#include <algorithm>
#include <array>

namespace discern::rtl {

namespace {

using Integer = Sheet::Integer;

Term nonzero(Sheet& s, const Number& x) { return s.any(x.magnitude); }

/// E, and whether anybody took part.
struct Largest {
    Integer exponent;
    Term here;
};

Largest largest_exponent(Sheet& s, const Fuse& fuse, const std::vector<Addend>& terms) {
    using Kind = ZeroExponent::Kind;
    std::vector<Integer> exponents;
    std::vector<Term> take_part;
    Term here = s.no();
    for (const Addend& term : terms) {
        const ZeroExponent& zero = term.child->zero;
        const Term is_nonzero = nonzero(s, term.number);
        const Term zero_takes_part = zero.kind == Kind::constant ? s.yes()
                                     : zero.kind == Kind::own    ? term.number.has_exponent
                                                                 : s.no();
        exponents.push_back(term.number.exponent);
        if (zero.kind == Kind::constant)
            exponents.back() = s.choose(is_nonzero, exponents.back(), s.integer(zero.value));
        take_part.push_back(s.either(is_nonzero, zero_takes_part));
        here = s.either(here, take_part.back());
    }
    if (fuse.floor) {
        exponents.push_back(s.integer(*fuse.floor));
        take_part.push_back(s.yes());
        here = s.yes();
    }
    Integer E = s.largest(exponents, take_part);
    // In steps: the next number that is the phase modulo the step.
    if (const int step = fuse.step.value_or(1); step > 1) {
        const int below = ((E.low - fuse.phase) % step + step) % step; // from a number with the phase to the lowest
        const int places = std::max(s.t.width(E.bits), 7) + 1;
        int digits = 0;
        while (1 << digits < step) ++digits;
        const Term sum =
            s.add(s.resized(E.bits, places), s.constant(static_cast<std::uint64_t>(below + step - 1), places));
        E.bits = s.t.concat(s.part(sum, digits, places - digits), s.constant(0, digits));
        E.low -= below;
        E.high += step - 1;
    }
    s.wire("E", E.bits, "the largest exponent, above " + std::to_string(E.low));
    return {E, here};
}

/// A term in units of 2^(E − F), in two's complement.
struct Aligned {
    Term value;
    int F;
    Term changed; ///< by its rounding, or dropped
};

Term in_twos_complement(Sheet& s, Term magnitude, Term negative) {
    const Term wide = s.resized(magnitude, s.t.width(magnitude) + 1);
    return s.choose(negative, s.t.bvneg(wide), wide);
}

/// @param sticky  whether the sum asks if something was cut
Aligned align(Sheet& s, const Addend& term, const Integer& E, bool sticky, const std::string& number) {
    const Number& x = term.number;
    const Child& how = *term.child;
    // The register before the shift: bit 0 is worth 2^(base − below). Exact terms lose nothing below. A half is kept
    // where it matters.
    const int kept = how.F ? *how.F : std::max({0, x.places, E.high - x.last});
    const bool cuts = !how.F || how.rounding == Rounding::rz || how.rounding == Rounding::rd;
    const int below = std::max(kept + (cuts && !sticky ? 0 : 1), x.places);
    const Term unshifted = s.part(x.magnitude, x.places - below, s.t.width(x.magnitude) + below - x.places);
    const Integer amount = s.difference(E, x.base, 0, std::max(0, E.high - x.base.low));
    s.wire("shift" + number, amount.bits, "E − its exponent");
    const Sheet::Shifted shifted = s.shift_right(unshifted, amount.bits); // bit 0 is worth 2^(E − below)

    const int cut = below - kept;
    Term whole = s.part(shifted.word, cut, s.t.width(shifted.word) - cut);
    const Cut at{.negative = x.negative,
                 .odd_last = s.t.bit(whole, 0),
                 .half = cut == 0 ? s.no() : s.t.bit(shifted.word, cut - 1),
                 .rest = cut <= 1 ? shifted.lost : s.either(shifted.lost, s.any(s.part(shifted.word, 0, cut - 1)))};
    Aligned result{whole, kept, s.either(at.half, at.rest)};
    if (how.F && how.rounding == Rounding::rd) { // an arithmetic shift is a floor
        const Term floor = s.wire(
            "shifted" + number, s.t.bvashr(in_twos_complement(s, unshifted, x.negative), amount.bits), "rounded down");
        result.value = s.part(floor, cut, s.t.width(floor) - cut);
    } else {
        s.wire("shifted" + number, shifted.word);
        if (!cuts) whole = s.increment(s.resized(whole, s.t.width(whole) + 1), rounds_away(s, how.rounding, at));
        result.value = in_twos_complement(s, whole, x.negative);
    }
    if (how.drop) {
        const Term is_nonzero = nonzero(s, x);
        const Term is_far_below = s.less(Sheet::moved(x.exponent, *how.drop), E);
        const Term dropped = s.both(is_far_below, is_nonzero);
        result.value = s.only_if(s.opposite(dropped), result.value);
        result.changed = s.either(result.changed, dropped);
    }
    s.wire("aligned" + number, result.value, "two's complement, in units of 2^(E − " + std::to_string(kept) + ")");
    return result;
}

/// Whose sign the terms are negated by, and whether they are.
struct Frame {
    Term here, negative;
};

bool is_c(const Addend& term) { return std::holds_alternative<Accumulator>(term.child->get().kind); }

Frame frame_of(Sheet& s, const Fuse& fuse, const std::vector<Addend>& terms, Term somebody) {
    const Number& c = std::find_if(terms.begin(), terms.end(), is_c)->number;
    const Term is_nonzero = nonzero(s, c);
    // A zero of c has seen one sign, its own.
    const Term of_zero = fuse.frame == SignFrame::c ? c.seen_minus : s.no();
    return {s.both(somebody, fuse.frame == SignFrame::nonzero_c ? is_nonzero : s.yes()),
            s.choose(is_nonzero, c.negative, of_zero)};
}

/// Whether a term is inverted where it should be negated.
Term inverts(Sheet& s, const Fuse& fuse, const Frame& frame, const Number& x, Term aligned) {
    const Term is_nonzero = nonzero(s, x);
    const Term opposes = s.t.bvxor(s.choose(is_nonzero, x.negative, x.seen_minus), frame.negative);
    const Term counts = fuse.opposed == Opposed::all       ? s.yes()
                        : fuse.opposed == Opposed::nonzero ? is_nonzero
                                                           : s.any(aligned);
    return s.both(s.both(frame.here, opposes), counts);
}

/// All values that the aligned term can have are multiples of 2 to that.
int last_of(const Addend& term, const Integer& E) {
    return term.child->F ? std::max(term.number.last, E.low - *term.child->F) : term.number.last;
}

} // namespace

void combine_specials(Sheet& s, const std::vector<const Number*>& terms, Number& sum) {
    Number::Special seen = Number(s).special;
    for (const Number* term : terms)
        for (const auto kind : {&Number::Special::nan, &Number::Special::plus, &Number::Special::minus,
                                &Number::Special::soft_nan, &Number::Special::soft_plus, &Number::Special::soft_minus})
            seen.*kind = s.either(seen.*kind, term->special.*kind);
    Number::Special& result = sum.special;
    result.nan = s.either(seen.nan, s.both(seen.plus, seen.minus));
    result.plus = s.both(seen.plus, s.opposite(result.nan));
    result.minus = s.both(seen.minus, s.opposite(result.nan));
    // Soft ones count if there is no other.
    const Term none = s.opposite(s.either(seen.nan, s.either(seen.plus, seen.minus)));
    const Term soft_nan = s.either(seen.soft_nan, s.both(seen.soft_plus, seen.soft_minus));
    result.soft_nan = s.both(none, soft_nan);
    result.soft_plus = s.both(none, s.both(seen.soft_plus, s.opposite(soft_nan)));
    result.soft_minus = s.both(none, s.both(seen.soft_minus, s.opposite(soft_nan)));
    // The first term that carries something.
    for (const Number* term : terms) {
        const Term first = s.both(term->content.here, s.opposite(sum.content.here));
        sum.content.negative = s.choose(first, term->content.negative, sum.content.negative);
        sum.content.payload = s.choose(first, term->content.payload, sum.content.payload);
        sum.content.here = s.either(sum.content.here, term->content.here);
    }
}

Term rounds_away(Sheet& s, Rounding mode, const Cut& cut) {
    const Term inexact = s.either(cut.half, cut.rest);
    switch (mode) {
    case Rounding::rz: return s.no();
    case Rounding::rd: return s.both(cut.negative, inexact);
    case Rounding::ru: return s.both(s.opposite(cut.negative), inexact);
    case Rounding::rne: return s.both(cut.half, s.either(cut.rest, cut.odd_last));
    case Rounding::rna: return cut.half;
    case Rounding::odd: return s.both(inexact, s.opposite(cut.odd_last));
    }
    return s.no();
}

Number fuse(Sheet& s, const Fuse& fuse, const std::vector<Addend>& terms) {
    Number sum(s);
    std::vector<const Number*> numbers;
    for (const Addend& term : terms) numbers.push_back(&term.number);
    combine_specials(s, numbers, sum);
    const auto [E, here] = largest_exponent(s, fuse, terms);

    // Aligned, and then in places of 2^(E − F) with the largest F.
    std::vector<Aligned> aligned;
    int F = 0, places = 0;
    for (const Addend& term : terms) {
        aligned.push_back(align(s, term, E, fuse.sticky, std::to_string(aligned.size())));
        F = std::max(F, aligned.back().F);
    }
    for (const Aligned& x : aligned) places = std::max(places, s.t.width(x.value) - 1 + F - x.F);
    const bool framed = fuse.frame != SignFrame::none;
    Frame frame{s.no(), s.no()};
    if (framed) {
        frame = frame_of(s, fuse, terms, here);
        ++places;
    }
    for (std::size_t two = 1; two < terms.size(); two *= 2) ++places;
    ++places; // the sign

    Term cancelled = s.no(), lost = s.no();
    std::vector<Term> values;
    sum.last = last_of(terms.front(), E);
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const Number& x = terms[i].number;
        const Term natural = aligned[i].value;
        const Term value = s.part(natural, aligned[i].F - F, s.t.width(natural) + F - aligned[i].F);
        values.push_back(s.t.sign_extend(value, places));
        cancelled = s.either(cancelled, s.any(natural));
        if (framed && !is_c(terms[i])) { // 1 to the negative side, or to the positive one, at the term's last place
            const Term one = inverts(s, fuse, frame, x, natural);
            const Term down = s.both(one, s.opposite(frame.negative));
            const Term unit = s.choose(down, s.t.constant(Bits::ones(places)), s.resized(one, places));
            values.push_back(s.part(unit, aligned[i].F - F, places));
            cancelled = s.either(cancelled, one);
        }
        lost = s.either(lost, aligned[i].changed);
        sum.seen_plus = s.either(sum.seen_plus, x.seen_plus);
        sum.seen_minus = s.either(sum.seen_minus, x.seen_minus);
        sum.last = std::min(sum.last, last_of(terms[i], E));
        if (framed) sum.last = std::min(sum.last, E.low - aligned[i].F);
    }
    Term total = s.wire("sum", values.size() == 1 ? values.front() : s.t.bvadd(values), "two's complement");
    s.begin_stage();
    if (fuse.carry) total = s.resized(total, std::min(places, 1 + *fuse.carry + 2 + F));

    sum.negative = s.wire("negative", s.t.bit(total, s.t.width(total) - 1));
    sum.magnitude = s.choose(sum.negative, s.t.bvneg(total), total);
    if (fuse.sticky) {
        sum.magnitude = s.t.concat(sum.magnitude, lost);
        sum.last = std::min(sum.last, E.low - F - 1);
    }
    s.wire("magnitude", sum.magnitude, "in units of 2^(E − " + std::to_string(F + (fuse.sticky ? 1 : 0)) + ")");
    s.begin_stage();
    sum.base = sum.exponent = E;
    sum.places = F + (fuse.sticky ? 1 : 0);
    sum.has_exponent = here;
    const Term is_nonzero = nonzero(s, sum);
    sum.seen_plus = s.choose(is_nonzero, s.opposite(sum.negative), s.either(sum.seen_plus, cancelled));
    sum.seen_minus = s.choose(is_nonzero, sum.negative, s.either(sum.seen_minus, cancelled));
    if (fuse.zero_is_plus) {
        sum.seen_plus = s.either(sum.seen_plus, s.opposite(is_nonzero));
        sum.seen_minus = s.both(sum.seen_minus, is_nonzero);
    }
    s.wire("plus_zero", sum.seen_plus, "if it is zero: some term was +");
    s.wire("minus_zero", sum.seen_minus, "… some term was −");
    s.wire("nan", s.either(sum.special.nan, sum.special.soft_nan));
    return sum;
}

} // namespace discern::rtl
