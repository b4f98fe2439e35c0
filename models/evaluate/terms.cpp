#include "terms.hpp"

#include "models/unit/nan_rule.hpp"

namespace discern::integer {

namespace {

/// A zero result, +0 where there is no minus zero.
Decoded zero(const Format& f, bool negative) {
    return {.negative = negative && f.has_minus_zero(), .exponent = f.emin()};
}

/// The largest finite result of that sign.
Decoded largest(const Format& f, bool negative) {
    return {.negative = negative, .significand = f.max_significand(negative), .exponent = f.emax()};
}

/// An infinite result; NaN in a format without infinity, and the largest number in fixed point.
Decoded infinity(const Format& f, bool negative) {
    if (f.is_fixed_point()) return largest(f, negative);
    return {.number_class = f.has_infinity() ? NumberClass::infinite : NumberClass::nan, .negative = negative};
}

Decoded round_special(const Format& f, Special special, bool nan_negative, std::uint64_t nan_payload) {
    using enum Special;
    if (special == plus_infinity || special == tentative_plus) return infinity(f, false);
    if (special == minus_infinity || special == tentative_minus) return infinity(f, true);
    if (f.is_fixed_point()) return zero(f, false); // as GPUs convert NaN to an integer
    Decoded nan;
    nan.number_class = NumberClass::nan;
    const std::uint64_t quiet = f.mantissa_bits == 0 ? 0 : 1ull << (f.mantissa_bits - 1);
    nan.negative = special == operand_nan ? nan_negative : true;
    nan.payload = quiet | (special == operand_nan ? nan_payload >> (64 - f.mantissa_bits) : 0);
    if (special == factor_nan) nan.payload = factor_nan_fraction(f);
    return nan;
}

bool overflows_to_infinity(Overflow rule, Rounding mode, bool negative) {
    if (rule != Overflow::ieee) return rule == Overflow::infinity;
    if (mode == Rounding::rd) return negative;
    if (mode == Rounding::ru) return !negative;
    return mode == Rounding::ra || is_nearest(mode);
}

} // namespace

template <typename Int>
Decoded round_term(const Round& rule, const Format& f, const Term<Int>& term) {
    if (term.special != Special::finite) return round_special(f, term.special, term.nan_negative, term.nan_payload);
    if (wide::is_zero(term.value)) {
        const bool minus =
            term.zero_sign == ZeroSign::minus || (term.zero_sign == ZeroSign::mixed && rule.mode == Rounding::rd);
        return zero(f, rule.zsign_ieee && minus);
    }
    const bool negative = wide::negative(term.value);
    const int top = wide::bit_length(wide::magnitude(term.value)) - 1 + term.lsb; // floor(log2 |value|)
    const int m = f.mantissa_bits;
    const auto rounded_at = [&](int quantum) {
        return wide::low_word(wide::magnitude(round_shift(term.value, quantum - term.lsb, rule.mode)));
    };

    const bool below_normal = top < f.emin();
    const Flush ftz = f.has_subnormals() ? rule.ftz : Flush::none;
    if (below_normal && ftz == Flush::before) return zero(f, negative && rule.fsign_keep);
    if (below_normal && ftz == Flush::after) {
        const bool reaches_next_power = (rounded_at(top - m) >> (m + 1)) != 0;
        if (top + (reaches_next_power ? 1 : 0) < f.emin()) return zero(f, negative && rule.fsign_keep);
    }

    int exponent = below_normal ? f.emin() : top;
    std::uint64_t significand = rounded_at(exponent - m);
    if ((significand >> (m + 1)) != 0) {
        significand >>= 1; // 10…0: nothing is lost
        ++exponent;
    }
    if (significand == 0) return zero(f, negative && rule.usign_keep);
    if (ftz == Flush::result && (significand >> m) == 0) return zero(f, negative && rule.fsign_keep);
    // In fixed point the largest number of either sign stands for all beyond the positive one's magnitude.
    if (exponent > f.emax() || (exponent == f.emax() && significand > f.max_significand())) {
        if (overflows_to_infinity(rule.overflow, rule.mode, negative)) return infinity(f, negative);
        return largest(f, negative);
    }
    return {.negative = negative, .significand = significand, .exponent = exponent};
}

template Decoded round_term(const Round&, const Format&, const Term<wide::i64>&);
template Decoded round_term(const Round&, const Format&, const Term<wide::i128>&);
template Decoded round_term(const Round&, const Format&, const Term<wide::Medium>&);
template Decoded round_term(const Round&, const Format&, const Term<wide::Big>&);

} // namespace discern::integer
