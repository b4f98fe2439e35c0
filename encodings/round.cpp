// Normalising and rounding to a floating-point format, down to the bit pattern.
//
// The magnitude is shifted so that its top bit weighs 2^max(⌊log2 |value|⌋, emin). Then the kept bits are
// the same ones for normal and subnormal results, and the pattern without its sign is one integer, (exponent − emin) ·
// 2^mantissa + kept bits, which grows with the magnitude: rounding up carries into the exponent by itself, and overflow
// is one comparison.
#include "encodings/number/nodes.hpp"

#include "encodings/graph/shift.hpp"
#include "encodings/number/special.hpp"
#include "models/unit/nan_rule.hpp"
#include "sum/unobservable.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace discern {

namespace {

struct Normalised {
    Term bits;       ///< top bit first
    Ranged exponent; ///< of the top bit: max(⌊log2 |value|⌋, emin)
};

// @param least_width  the least width of the result
Normalised normalise(Terms& t, const Number& n, int emin, int least_width) {
    Term bits = n.magnitude;
    Ranged last = n.lsb;
    if (const int more = least_width - t.width(bits); more > 0) {
        bits = t.concat(bits, t.constant(more, 0));
        last = last - more;
    }
    const int width = t.width(bits);
    const Ranged top = last + (width - 1);
    if (top.low < emin) {
        // The top bit may weigh less than 2^emin: shift right to there first, keeping what is truncated as a sticky
        // bit.
        const Ranged lifted = maximum(t, top, emin);
        bits = shift_jammed(t, bits, subtract(t, lifted, top));
        last = lifted - (width - 1);
    }
    const Ranged lifted_top = last + (width - 1);
    const Ranged leading = subtract(t, ranged_constant(t, width - 1), floor_log2(t, bits));
    const Ranged room = subtract(t, lifted_top, ranged_constant(t, emin));
    const Ranged left = minimum(t, leading, room);
    return {t.bvshl(bits, above(t, left, 0)), subtract(t, room, left) + emin};
}

// Whether an overflow gives infinity, and not the largest number, by `overflow=`, mode and sign; `ieee` is IEEE 754
// §7.4.
bool overflows_to_infinity(Overflow policy, Rounding mode, bool negative) {
    if (policy != Overflow::ieee) return policy == Overflow::infinity;
    return is_nearest(mode) || mode == Rounding::ra || mode == (negative ? Rounding::rd : Rounding::ru);
}

// The largest finite number's pattern as an integer, without sign and padding.
std::uint64_t largest_finite(const Format& f) {
    return (static_cast<std::uint64_t>(f.emax() - f.emin()) << f.mantissa_bits) + f.max_significand();
}

// A pattern from its sign and the bits below it, padding added; in fixed point those of the magnitude.
Term pattern_of(Terms& t, const Format& f, Term sign, Term below) {
    if (f.is_fixed_point()) {
        const Term magnitude = t.resize(below, f.width);
        return t.ite(sign, t.bvneg(magnitude), magnitude);
    }
    if (f.padding_bits > 0) below = t.concat(below, t.constant(f.padding_bits, 0));
    below = t.resize(below, f.width - 1);
    return t.concat(f.is_signed ? sign : t.truth(false), below);
}

// The NaN of a rounding under NanRule::propagate: the carried one, quieted, or else the default one, which is negative.
Term propagated_nan(Terms& t, const Format& f, const CarriedNan& carried) {
    const int m = f.mantissa_bits;
    const Term sign = t.bvor(t.bvnot(carried.present), carried.sign);
    if (f.specials == Specials::all_ones) return pattern_of(t, f, sign, t.constant(Bits::ones(f.exponent_bits + m)));
    if (f.specials != Specials::ieee) return t.constant(f.width, quiet_nan(f));
    const Term quiet = t.constant(m, 1ull << (m - 1));
    const Term kept = t.bvor(t.extract(carried.payload, payload_bits - m, m), quiet);
    const Term mantissa = t.ite(carried.present, kept, quiet);
    return pattern_of(t, f, sign, t.concat(t.constant(Bits::ones(f.exponent_bits)), mantissa));
}

// The NaN of a rounding under NanRule::rdna, in an IEEE format: by its kind.
Term ranked_nan(Terms& t, const Format& f, const Number& value, bool invalid_as_of_factor) {
    const NanKind kind = nan_kind(t, value);
    const auto negative = [&](std::uint64_t fraction) {
        return pattern_of(t, f, t.truth(true),
                          t.concat(t.constant(Bits::ones(f.exponent_bits)), t.constant(f.mantissa_bits, fraction)));
    };
    const Term of_factor = negative(factor_nan_fraction(f));
    const Term of_invalid = invalid_as_of_factor ? of_factor : negative(1ull << (f.mantissa_bits - 1));
    return t.ite(kind.factor, of_factor, t.ite(kind.invalid, of_invalid, propagated_nan(t, f, value.carried)));
}

Term nan_pattern(Terms& t, const Format& f, const Number& value, const NanPatterns& nan) {
    if (!f.has_nan()) return t.constant(f.width, 0); // a fixed-point format gives 0 for NaN
    switch (nan.rule.kind) {
    case NanRule::Kind::propagate: return propagated_nan(t, f, value.carried);
    case NanRule::Kind::rdna: return ranked_nan(t, f, value, nan.invalid_as_of_factor);
    case NanRule::Kind::pattern: return t.constant(f.width, nan.rule.bits);
    case NanRule::Kind::any: break;
    }
    return t.constant(f.width, quiet_nan(f));
}

// The largest number of that sign. @param below  its bits below the sign, where they are those of the other sign
Term largest_pattern(Terms& t, const Format& f, Term sign, Term below) {
    const Term pattern = pattern_of(t, f, sign, below);
    if (!f.is_fixed_point()) return pattern;
    return t.ite(sign, t.constant(f.width, 1ull << (f.width - 1)), pattern);
}

// Infinity of that sign, or what a format without infinities gives instead.
Term infinity_pattern(Terms& t, const Format& f, Term sign, Term nan) {
    const int below = f.exponent_bits + f.mantissa_bits;
    if (f.has_infinity())
        return pattern_of(
            t, f, sign,
            t.concat(t.constant(Bits::ones(f.exponent_bits)), t.constant(f.mantissa_bits, f.infinite_mantissa())));
    if (f.has_nan()) return nan;
    return largest_pattern(t, f, sign, t.constant(below, largest_finite(f)));
}

double largest_value(const Format& f) {
    return std::ldexp(static_cast<double>(f.max_significand()), f.emax() - f.mantissa_bits);
}

/// Rounding one number to one format, step by step.
class Rounder {
  public:
    Rounder(Terms& t, const Format& f, const RoundRule& how, const Number& value, const NanPatterns& nan)
        : t_(t), f_(f), how_(how), value_(value), m_(f.mantissa_bits) {
        nan_ = nan_pattern(t, f, value, nan);
        canonical_nan_ = nan.rule.kind == NanRule::Kind::any;
        flush_ = how.ftz.mapped(t, [&](const ResultFlush& r) { return flush_of(r); });
    }

    Term run() {
        // match: the number was decoded from a pattern of this format, and is never −0, or zeros keep their signs =>
        // that pattern
        const bool keeps_zeros =
            value_.zero_negative == t_.truth(false) || how_.zsign_ieee.all([](bool b) { return b; });
        const bool flushes = !never_flushes(t_, f_, value_) &&
                             how_.ftz.any([](const ResultFlush& ftz) { return ftz.when != Flush::none; });
        if (t_.may_fold(Folding::same_pattern) && value_.pattern && value_.pattern->second == f_.id && keeps_zeros &&
            !flushes && canonical_nan_)
            return value_.pattern->first;
        truncate();
        const Term ftz = flushed();
        // match: the value is a multiple of the format's least positive number, or what rounds to less than 2^emin is
        // flushed => nothing else is rounded to zero
        const bool all_flushed = t_.may_fold(Folding::all_flushed) &&
                                 flush_.all([](Flush f) { return f == Flush::before || f == Flush::after; });
        const bool none_else = all_flushed || (t_.may_fold(Folding::no_underflow) && is_on_grid(f_, value_));
        const Term to_zero = none_else ? ftz : t_.bvor(ftz, t_.is_zero(rounded_));
        const auto yes = [](bool b) { return b; };
        const Term flush_keeps = how_.ftz.when(t_, [](const ResultFlush& r) { return r.keeps_sign; });
        const Term keeps = all_flushed ? flush_keeps : t_.ite(ftz, flush_keeps, how_.usign_keep.when(t_, yes));
        Term sign = t_.ite(value_.zero, sign_of_zero(t_, how_, value_),
                           t_.bvand(value_.sign, t_.bvor(t_.bvnot(to_zero), keeps)));
        const Term is_zero = t_.bvor(value_.zero, to_zero);
        if (!f_.has_minus_zero()) sign = t_.bvand(sign, t_.bvnot(is_zero));
        const Term below = t_.ite(is_zero, t_.constant(t_.width(rounded_), 0), rounded_);
        Term finite = pattern_of(t_, f_, sign, below);
        // match: the mode rounds no possible value beyond the largest number => no overflow in that mode
        const Term overflows = how_.mode.when(
            t_, [&](Rounding mode) { return !t_.may_fold(Folding::no_overflow) || may_overflow(f_, mode, value_); });
        if (overflows != t_.truth(false)) {
            const Term largest = t_.constant(t_.width(rounded_), largest_finite(f_));
            const Term over = t_.bvand(overflows, t_.bvand(t_.bvnot(is_zero), t_.bvult(largest, rounded_)));
            finite = t_.ite(over, t_.ite(value_.sign, overflowed(true, largest), overflowed(false, largest)), finite);
        }
        const Settled special = settle(t_, value_);
        return t_.ite(special.nan, nan_,
                      t_.ite(special.positive, infinity_pattern(t_, f_, t_.truth(false), nan_),
                             t_.ite(special.negative, infinity_pattern(t_, f_, t_.truth(true), nan_), finite)));
    }

    /// Whether the mode may round to more than the largest finite number.
    static bool may_overflow(const Format& f, Rounding mode, const Number& n) {
        const double largest = largest_value(f), ulp = std::ldexp(1.0, f.emax() - f.mantissa_bits);
        if (is_exact(f, n)) mode = Rounding::rz; // all modes give the same
        if (mode == Rounding::rz) return n.facts->most >= largest + ulp;
        if (is_nearest(mode)) return n.facts->most >= largest + ulp / 2; // where a tie may go up
        return n.facts->most > largest; // away from zero; to odd, if the largest is even
    }
    /// match: |value| ≥ 2^emin unless it is zero => no flush
    static bool never_flushes(const Terms& t, const Format& f, const Number& n) {
        return (t.may_fold(Folding::never_flushes) && least_magnitude(*n.facts) >= f.emin()) || !f.has_subnormals();
    }
    static bool is_on_grid(const Format& f, const Number& n) { return n.facts->last >= f.lsb(); }
    static bool is_exact(const Format& f, const Number& n) {
        const int digits = f.mantissa_bits + 1;
        return is_on_grid(f, n) && (n.facts->below - n.facts->last <= digits || holds_digits(f, n));
    }
    /// Whether the mantissa alone holds the value. One below 2^emin is then a multiple of the least number, or it is
    /// less than 2^(emin − 1): none is rounded to 2^emin.
    static bool fits_mantissa(const Format& f, const Number& n) { return digits_fit(n, f.mantissa_bits); }
    /// Whether, but for the least exponent, every value is a number of the format.
    static bool holds_digits(const Format& f, const Number& n) { return digits_fit(n, f.mantissa_bits + 1); }
    static bool digits_fit(const Number& n, int digits) {
        return std::min(n.facts->units, n.facts->span) <= std::ldexp(1.0, digits);
    }
    static Term sign_of_zero(Terms& t, const RoundRule& how, const Number& n) {
        const Term ieee = how.zsign_ieee.when(t, [](bool b) { return b; });
        const Term down = how.mode.when(t, [](Rounding m) { return m == Rounding::rd; });
        return t.bvand(ieee, t.ite(n.zero_mixed, down, n.zero_negative));
    }

    /// match: zero sums are +0, and no underflow or flush gives −0 => no result is −0
    static bool zeros_are_positive(Terms& t, const Format& f, const RoundRule& how, const Number& n) {
        if (f.is_fixed_point()) return true;
        const bool flush_is_positive = never_flushes(t, f, n) || how.ftz.all([](const ResultFlush& r) {
            return r.when == Flush::none || !r.keeps_sign;
        });
        const bool underflow_is_positive = is_on_grid(f, n) || how.usign_keep.all([](bool b) { return !b; });
        return t.may_fold(Folding::zeros_positive) && sign_of_zero(t, how, n) == t.truth(false) && flush_is_positive &&
               underflow_is_positive;
    }

  private:
    /// Whether the magnitude is incremented, in each possible mode.
    Term up(Term odd_last, Term half, Term sticky) {
        // match: no value has bits below the kept ones => nothing is rounded
        // match: no number has more digits than the format, and those below 2^emin are flushed before they are rounded
        if ((t_.may_fold(Folding::exact_round) && is_exact(f_, value_)) ||
            (t_.may_fold(Folding::exact_round_flushed) && holds_digits(f_, value_) && flushes_all()))
            return t_.truth(false);
        return how_.mode.choose(
            t_, [&](Rounding mode) { return increment(t_, mode, value_.sign, odd_last, half, sticky); });
    }

    // The pattern's integer, wide enough for every exponent, and for every pattern of the format.
    void truncate() {
        // Kept bits, half, one more for Flush::after, sticky.
        const Normalised n = normalise(t_, value_, f_.emin(), m_ + 4);
        bits_ = n.bits;
        const int width = t_.width(n.bits);
        const Term kept = t_.extract(n.bits, width - 1 - m_, m_ + 1);
        const Term half = t_.bit(n.bits, width - 2 - m_);
        const Term sticky = t_.bvnot(t_.is_zero(t_.extract(n.bits, 0, width - 2 - m_)));
        const Term exponent = above(t_, n.exponent, f_.emin());
        const int rounded_width = std::max(t_.width(exponent), f_.exponent_bits) + m_ + 2;
        const Term high = m_ > 0 ? t_.concat(exponent, t_.constant(m_, 0)) : exponent;
        const Term summands[] = {t_.resize(high, rounded_width), t_.resize(kept, rounded_width),
                                 t_.resize(up(t_.bit(kept, 0), half, sticky), rounded_width)};
        rounded_ = t_.bvadd(summands);
    }

    // Whether the value is small enough to be flushed.
    Term flushed() {
        return flush_.choose(t_, [&](Flush when) { return flushed_by(when); });
    }

    /// Whether every value below 2^emin is flushed, and none that is rounded to 2^emin.
    bool flushes_all() const {
        return flush_.all([](Flush f) { return f == Flush::before; });
    }

    Flush flush_of(const ResultFlush& r) const {
        if (never_flushes(t_, f_, value_)) return Flush::none;
        if (r.when == Flush::none) return r.when;
        // match: the mantissa alone holds the value, so that none below 2^emin is rounded to 2^emin; a zero has the
        // sign of what is flushed => all below 2^emin are flushed
        const bool same_sign = how_.usign_keep.all([&](bool keep) { return keep == r.keeps_sign; });
        // No negative number is rounded to zero in these modes.
        const bool only_positive = how_.mode.all([](Rounding m) { return m == Rounding::rd || m == Rounding::odd; });
        return t_.may_fold(Folding::flush_of_mantissa) && fits_mantissa(f_, value_) &&
                       (r.when == Flush::after || same_sign || only_positive)
                   ? Flush::before
                   : r.when;
    }

    Term flushed_by(Flush when) {
        const int width = t_.width(bits_);
        const Term tiny = t_.bvnot(t_.bit(bits_, width - 1)); // |value| < 2^emin
        switch (when) {
        case Flush::none: return t_.truth(false);
        case Flush::before: return tiny;
        case Flush::result: // a result that is zero by rounding is an underflow, not a flush
            return t_.bvand(t_.bvult(rounded_, t_.constant(t_.width(rounded_), 1ull << m_)),
                            t_.bvnot(t_.is_zero(rounded_)));
        case Flush::after: {
            // Rounded with unbounded exponent it reaches 2^emin only from all ones; the rounding position is one bit
            // lower.
            const Term kept = t_.extract(bits_, width - 2 - m_, m_ + 1);
            const Term half = t_.bit(bits_, width - 3 - m_);
            const Term sticky = t_.bvnot(t_.is_zero(t_.extract(bits_, 0, width - 3 - m_)));
            const Term ones = t_.eq(kept, t_.constant(Bits::ones(m_ + 1)));
            return t_.bvand(tiny, t_.bvnot(t_.bvand(ones, up(t_.truth(true), half, sticky))));
        }
        }
        throw std::logic_error("flushed: unknown rule");
    }

    // The result beyond the largest number, by `overflow=` and mode.
    Term overflowed(bool negative, Term largest) {
        const Term sign = t_.truth(negative);
        const Term infinite = how_.mode.choose(t_, [&](Rounding mode) {
            return how_.overflow.when(t_, [&](Overflow o) { return overflows_to_infinity(o, mode, negative); });
        });
        return t_.ite(infinite, infinity_pattern(t_, f_, sign, nan_), largest_pattern(t_, f_, sign, largest));
    }

    Terms& t_;
    const Format& f_;
    const RoundRule& how_;
    const Number& value_;
    int m_;
    Term nan_;
    bool canonical_nan_ = false;
    Pick<Flush> flush_; ///< as ftz says, where that has an effect
    Term bits_;         ///< normalised, top bit first
    Term rounded_;      ///< the pattern's integer
};

/// match: the sum of two numbers of n digits each, rounded in any mode to q + n + 1 digits or more, and then to nearest
/// to q ≥ n digits => the second rounding alone. All are multiples of the second format's least positive number, and of
/// the first one's.
///
/// Let 2^e ≤ |x + y| < 2^(e + 1) and |y| ≤ |x|. If the first rounding, to p digits, is inexact, y has a bit below
/// 2^(e − p + 1), so that |y| < 2^(e − p + n) ≤ 2^(e − q − 1). Then x is a multiple of 2^(e − q + 1), and so at least
/// 2^(e − q) from every tie of the second rounding; the sum is more than 2^(e − q − 1) from it, and the first rounding
/// moves it by less than 2^(e − p + 1), which is no more: it neither reaches a tie nor crosses one (Figueroa, "When is
/// double rounding innocuous?", 1995). Sums below 2^emin of the second format are exact.
bool is_innocuous(const Terms& t, const Format& f, const Number& sum, const Reader* next) {
    if (!t.may_fold(Folding::double_rounding) || next == nullptr || !next->nearest || sum.summands.size() != 2)
        return false;
    const int n = f.mantissa_bits - next->precision;
    return n >= 1 && sum.facts->last >= std::max(f.lsb(), next->lsb) &&
           std::all_of(sum.summands.begin(), sum.summands.end(),
                       [&](const Number& x) { return Rounder::digits_fit(x, std::min(n, next->least_precision)); });
}

} // namespace

Term round_term(Terms& t, const Format& f, const RoundRule& how, const Number& value, const NanPatterns& nan) {
    if (!f.is_signed || !f.has_zero) throw std::logic_error("round_term: results need a sign and a zero");
    return Rounder(t, f, how, value, nan).run();
}

bool may_overflow(const Format& f, const RoundRule& how, const Number& value) {
    return how.mode.any([&](Rounding mode) { return Rounder::may_overflow(f, mode, value); });
}

bool zeros_are_positive(Terms& t, const Format& f, const RoundRule& how, const Number& value) {
    return Rounder::zeros_are_positive(t, f, how, value);
}

std::optional<Number> exact_rounding(Terms& t, const Format& f, const RoundRule& how, const Number& value,
                                     const NanRule& rule, const Reader* next) {
    if (!t.may_fold(Folding::exact_rounding)) return std::nullopt;
    const bool may_flush =
        !Rounder::never_flushes(t, f, value) && how.ftz.any([](const ResultFlush& r) { return r.when != Flush::none; });
    if (!(Rounder::is_exact(f, value) || is_innocuous(t, f, value, next)) || value.facts->most > largest_value(f) ||
        may_flush || !f.has_infinity() || !f.has_minus_zero() || rule.keeps_operands())
        return std::nullopt;
    Number same = value;
    same.summands.clear();
    if (t.bvor(value.tentative_positive, value.tentative_negative) != t.truth(false)) {
        const Settled special = settle(t, value);
        same.nan = special.nan;
        same.positive = special.positive;
        same.negative = special.negative;
        same.tentative_positive = same.tentative_negative = t.truth(false);
    }
    same.zero_negative = Rounder::sign_of_zero(t, how, value);
    if (same.zero_negative != value.zero_negative) same.pattern.reset(); // which has the sign that the zero had
    same.zero_mixed = t.truth(false);
    same.carried.present = t.truth(false);
    return same;
}

} // namespace discern
