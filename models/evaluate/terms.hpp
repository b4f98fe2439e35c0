// Intermediate results of the integer evaluator, and the operations of the tree on them.
//
// docs/notation.md, "What a tree computes", is the specification; each function here is one of its paragraphs.
#pragma once

#include "models/tree.hpp"
#include "wide_int.hpp"

#include <climits>
#include <cstdint>
#include <stdexcept>

namespace discern::integer {

/// What a term is if it is no finite number. The tentative ones were made by Product::limit with oinf_yields.
enum class Special : std::uint8_t {
    finite,
    tentative_plus,
    tentative_minus,
    tentative_nan,
    plus_infinity,
    minus_infinity,
    invalid_nan, ///< made by an operation
    operand_nan, ///< came in with an operand: carries a sign and a payload
    factor_nan,  ///< under nan=rdna: came in with a or b
};

/// What the NaN rule of a unit says of NaN within its tree.
struct NanKinds {
    bool rdna = false;                      ///< NaN of factors, then invalid operations, then the accumulator's
    Special invalid = Special::invalid_nan; ///< what an invalid operation makes
};

/// Sign of a zero value: of one sign, or of terms of both.
enum class ZeroSign : std::uint8_t { plus, minus, mixed };

inline constexpr int no_exponent = INT_MIN / 2; ///< the reference exponent of a sum in which no term took part

/// An unnormalised number value·2^lsb with reference exponent `exponent`.
template <typename Int>
struct Term {
    Int value;
    int lsb;
    int exponent;
    Special special;
    ZeroSign zero_sign;
    bool nan_negative;         ///< of operand_nan,
    std::uint64_t nan_payload; ///< … left-aligned in 64 bits
};

/// Finite number of a sign, a significand and the exponent of its last bit.
template <typename Int>
Term<Int> finite_term(bool negative, wide::i128 significand, int lsb, int exponent) {
    Term<Int> term;
    wide::assign(term.value, negative ? -significand : significand);
    term.lsb = lsb;
    term.exponent = exponent;
    term.special = Special::finite;
    term.zero_sign = negative ? ZeroSign::minus : ZeroSign::plus;
    term.nan_negative = false;
    term.nan_payload = 0;
    return term;
}

template <typename Int>
Term<Int> special_term(Special special) {
    Term<Int> term = finite_term<Int>(false, 0, 0, 0);
    term.special = special;
    return term;
}

constexpr Special infinity_of(bool negative) { return negative ? Special::minus_infinity : Special::plus_infinity; }

/// floor(log2 |value|) of a term that is not zero.
template <typename Int>
int top_of(const Term<Int>& term) {
    return wide::bit_length(wide::magnitude(term.value)) - 1 + term.lsb;
}

/// The exponent of an exact product, normalised.
template <typename Int>
int normalised(Normalisation how, const Term<Int>& product) {
    if (how == Normalisation::raw || wide::is_zero(product.value)) return product.exponent;
    const int top = top_of(product);
    if (how == Normalisation::full) return top;
    return top > product.exponent ? product.exponent + 1 : product.exponent; // significand ≥ 2
}

/// x/2^n rounded to an integer (n may be negative: a left shift that the caller has proved to fit).
template <typename Int>
Int round_shift(const Int& x, int n, Rounding mode) {
    if (n <= 0) return n == 0 ? x : wide::shift_left(x, -n);
    const bool negative = wide::negative(x);
    Int quotient = wide::magnitude(x);
    const bool half = wide::bit(quotient, n - 1);
    const bool sticky = wide::any_below(quotient, n - 1);
    quotient = wide::shift_right(quotient, n);
    if (rounds_away(mode, negative, wide::bit(quotient, 0), half, sticky)) {
        Int one;
        wide::assign(one, 1);
        quotient = wide::add(quotient, one);
    }
    return negative ? wide::negate(quotient) : quotient;
}

/// Whether x is no multiple of 2^n.
template <typename Int>
bool loses_bits(const Int& x, int n) {
    return n > 0 && wide::any_below(wide::magnitude(x), n);
}

/// E in steps: the smallest number from E up that is `phase` modulo `step`.
inline int raised(int E, int step, int phase) {
    if (E == no_exponent || step <= 1) return E;
    return E + ((phase - E) % step + step) % step;
}

/// Sets the last bit of a sum, which no term reaches.
template <typename Int>
void set_last_bit(Term<Int>& sum) {
    Int one;
    wide::assign(one, wide::negative(sum.value) ? -1 : 1);
    sum.value = wide::add(sum.value, one);
}

/// Truncation, the usual alignment, without the bookkeeping of the other modes.
inline wide::i64 truncate_shift(wide::i64 x, int n) {
    const wide::i64 magnitude = wide::shift_right(x < 0 ? -x : x, n);
    return x < 0 ? -magnitude : magnitude;
}

/// The combination of special children, first come first served among operand NaNs (docs/notation.md, "Special
/// values").
class SpecialSum {
  public:
    explicit SpecialSum(const NanKinds& nan) : nan_(nan) {}

    template <typename Int>
    void add(const Term<Int>& term) {
        seen_ |= 1u << static_cast<unsigned>(term.special);
        if (term.special == Special::operand_nan && !has_payload_) {
            has_payload_ = true;
            negative_ = term.nan_negative;
            payload_ = term.nan_payload;
        }
    }
    bool any() const { return (seen_ & ~1u) != 0; }

    template <typename Int>
    Term<Int> result() const {
        Term<Int> term = special_term<Int>(kind());
        term.nan_negative = negative_;
        term.nan_payload = payload_;
        return term;
    }

  private:
    bool has(Special s) const { return ((seen_ >> static_cast<unsigned>(s)) & 1u) != 0; }
    Special kind() const {
        using enum Special;
        if (has(factor_nan)) return factor_nan;
        if (has(operand_nan) && !nan_.rdna) return operand_nan;
        if (has(invalid_nan) || (has(plus_infinity) && has(minus_infinity))) return nan_.invalid;
        if (has(operand_nan)) return operand_nan;
        if (has(plus_infinity)) return plus_infinity;
        if (has(minus_infinity)) return minus_infinity;
        if (has(tentative_nan) || (has(tentative_plus) && has(tentative_minus))) return tentative_nan;
        return has(tentative_plus) ? tentative_plus : tentative_minus;
    }

    const NanKinds& nan_;
    unsigned seen_ = 0;
    bool has_payload_ = false;
    bool negative_ = false;
    std::uint64_t payload_ = 0;
};

/// The sign that a sum has if it turns out to be zero.
class ZeroSigns {
  public:
    void add(bool negative) { (negative ? minus_ : plus_) = true; }
    template <typename Int>
    void add(const Term<Int>& term) {
        if (!wide::is_zero(term.value))
            add(wide::negative(term.value));
        else if (term.zero_sign == ZeroSign::mixed)
            plus_ = minus_ = true;
        else
            add(term.zero_sign == ZeroSign::minus);
    }
    /// Whether the term is still not zero after it was aligned: then a zero sum is a cancellation.
    void aligned(bool nonzero) { cancelled_ = cancelled_ || nonzero; }
    ZeroSign of_zero_sum() const {
        if (cancelled_ || (plus_ && minus_)) return ZeroSign::mixed;
        return minus_ ? ZeroSign::minus : ZeroSign::plus;
    }

  private:
    bool plus_ = false, minus_ = false, cancelled_ = false;
};

/// The exact sum; false if it may not fit (never for wide::Big, whose capacity covers all formats).
template <typename Int>
bool exact_sum(const Term<Int>* terms, std::size_t n, Term<Int>& sum) {
    int low = INT_MAX, high = INT_MIN;
    for (std::size_t i = 0; i < n; ++i) {
        if (wide::is_zero(terms[i].value)) continue;
        low = terms[i].lsb < low ? terms[i].lsb : low;
        const int top = terms[i].lsb + wide::bit_length(wide::magnitude(terms[i].value));
        high = top > high ? top : high;
    }
    sum = finite_term<Int>(false, 0, low == INT_MAX ? 0 : low, 0);
    if (low == INT_MAX) return true;
    const int carry_bits = wide::bit_length(static_cast<std::uint64_t>(n));
    if (high - low + carry_bits + 1 > static_cast<int>(8 * sizeof(Int))) {
        if constexpr (sizeof(Int) < sizeof(wide::Big)) return false;
        throw std::logic_error("exact sum exceeds the capacity proved in wide_int.hpp");
    }
    for (std::size_t i = 0; i < n; ++i)
        if (!wide::is_zero(terms[i].value))
            sum.value = wide::add(sum.value, wide::shift_left(terms[i].value, terms[i].lsb - low));
    return true;
}

/// A decoded operand as a term: the value itself, for c and for results that chain blocks.
template <typename Int>
Term<Int> operand_term(const Format& f, const Decoded& x) {
    if (x.number_class == NumberClass::finite)
        return finite_term<Int>(x.negative, x.significand, x.exponent - f.mantissa_bits, x.exponent);
    if (x.number_class == NumberClass::infinite) return special_term<Int>(infinity_of(x.negative));
    Term<Int> term = special_term<Int>(Special::operand_nan);
    term.nan_negative = x.negative;
    term.nan_payload = f.mantissa_bits == 0 ? 0 : x.payload << (64 - f.mantissa_bits);
    return term;
}

/// Rounds a term to a format. NaN keeps sign and payload, quieted; NaN made by an operation gets the sign bit (the NaN
/// rule of the unit, applied to the last result, replaces both unless it keeps operands). The NaN of a factor has a
/// pattern of its own.
template <typename Int>
Decoded round_term(const Round& rule, const Format& f, const Term<Int>& term);

extern template Decoded round_term(const Round&, const Format&, const Term<wide::i64>&);
extern template Decoded round_term(const Round&, const Format&, const Term<wide::i128>&);
extern template Decoded round_term(const Round&, const Format&, const Term<wide::Medium>&);
extern template Decoded round_term(const Round&, const Format&, const Term<wide::Big>&);

} // namespace discern::integer
