#include "long_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace discern::measure {

namespace {

constexpr int least_of_doubles = -1074; ///< every double is a multiple of 2^this

enum class To { nearest, odd };

/// x·2^lowest as a double.
template <class Int>
double rounded(const Int& x, int lowest, To to) {
    const Int size = wide::magnitude(x);
    const int end = std::max({wide::bit_length(size) - 53, least_of_doubles - lowest, 0}); // bits from here on are kept
    std::uint64_t kept = wide::low_word(wide::shift_right(size, end));
    if (to == To::odd)
        kept |= wide::any_below(size, end) ? 1 : 0;
    else if (end > 0 && wide::bit(size, end - 1))
        kept += wide::any_below(size, end - 1) ? 1 : kept & 1;
    const double value = std::ldexp(static_cast<double>(kept), end + lowest);
    return wide::negative(x) ? -value : value;
}

template <class Int>
Int as_integer(const Term& term, int lowest) {
    Int x;
    wide::assign(x, term.significand);
    return wide::shift_left(x, term.exponent - lowest);
}

template <class Int>
ExactSum sum_in(std::span<const Term> terms, int lowest) {
    Int sum;
    wide::assign(sum, 0);
    for (const Term& term : terms) sum = wide::add(sum, as_integer<Int>(term, lowest));
    const double high = rounded(sum, lowest, To::nearest);
    if (!std::isfinite(high)) return {high, 0};
    if (std::fabs(high) < 0x1p-1021) return {rounded(sum, lowest, To::odd), 0}; // no double is left for the rest
    const int exponent = std::max(std::ilogb(high) - 52, lowest);
    const Term negated{-static_cast<wide::i128>(std::ldexp(high, -exponent)), exponent};
    return {high, rounded(wide::add(sum, as_integer<Int>(negated, lowest)), lowest, To::odd)};
}

} // namespace

double rounded_to_odd(double high, double low) {
    const double lost = two_sum(high, low);
    if (lost == 0 || !std::isfinite(high)) return high;
    const auto bits = std::bit_cast<std::uint64_t>(high);
    if ((bits & 1) != 0) return high;
    // The exact number is between this one and its neighbour on the side of what was lost, which is odd.
    const bool away_from_zero = (lost > 0) == (high > 0);
    return std::bit_cast<double>(away_from_zero ? bits + 1 : bits - 1);
}

double ExactSum::to_odd() const { return rounded_to_odd(high, low); }

ExactSum long_sum(std::span<const Term> terms, int lowest, bool narrow) {
    return narrow ? sum_in<wide::Medium>(terms, lowest) : sum_in<wide::Big>(terms, lowest);
}

} // namespace discern::measure
