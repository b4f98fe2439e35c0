// What the oracle computes with: exact numbers, their special values and bit patterns, sums, products and conversions.
#pragma once

#include "exact.hpp"

#include "models/format.hpp"
#include "models/tree.hpp"

#include <optional>
#include <vector>

namespace discern::exact {

enum class Sign { plus, minus, mixed };

inline Sign sign_from(bool negative) { return negative ? Sign::minus : Sign::plus; }

/// Where a NaN came from. Only NanRule::rdna asks, which also ranks them: the later kind takes precedence.
enum class NanOrigin { accumulator, invalid_operation, factor };

/// The NaN of an operand, as NanRule::propagate keeps it: its mantissa field is left-aligned in `fraction`, quieted.
struct NanContent {
    bool negative = false;
    std::uint64_t fraction = 0;
};

inline constexpr std::uint64_t quiet_bit = 1ull << 63;

/// An intermediate result. Finite: a value, a reference exponent (or none) and, if the value is zero, a zero sign.
/// Infinite: a sign. NaN: what it carries, nothing if an invalid operation made it.
struct Number {
    NumberClass number_class = NumberClass::finite;
    Dyadic value{};
    std::optional<int> exponent{};
    Sign sign = Sign::plus; ///< of an infinity, of a zero, of an operand's NaN; of any other number that of its value
    bool tentative = false; ///< made by the limit of a product: yields to specials that come from the inputs
    std::optional<NanContent> content{};
    NanOrigin origin = NanOrigin::accumulator; ///< of a NaN

    bool is_finite() const { return number_class == NumberClass::finite; }
    bool is_nan() const { return number_class == NumberClass::nan; }
    bool is_infinite() const { return number_class == NumberClass::infinite; }
    bool is_zero() const { return is_finite() && value.is_zero(); }
};

/// Whether the magnitude is beyond that of the largest finite number.
bool exceeds_largest(const Format& f, const Dyadic& x);

/// A finite number; the zero sign counts only if the value is zero.
Number finite(Dyadic value, std::optional<int> exponent, Sign zero_sign);
Number infinity(Sign sign, bool tentative = false);

/// The number of a bit pattern (SignedSig and Exp of the algorithms): a subnormal or zero has exponent emin.
Number read(const Format& f, std::uint64_t bits);
/// The pattern of a finite number that the format holds, or of an infinity if it has one.
std::uint64_t write(const Format& f, const Number& n);
/// The NaN of the format that keeps as much of the content as it can.
std::uint64_t write_nan(const Format& f, const NanContent& content);
/// NaN made by an invalid operation: sign bit set.
inline constexpr NanContent invalid{true, quiet_bit};

/// The exact product: values multiplied, exponents added. Infinity times zero is NaN, or infinite; of two NaN the first
/// one's.
Number product_of(const Number& x, const Number& y, bool infzero);
inline Number operator*(const Number& x, const Number& y) { return product_of(x, y, false); }
/// The special value of a sum, nothing if all terms are finite. Tentative infinities, made by a limit, count only if
/// there is none that comes from the inputs.
std::optional<Number> special_sum(const std::vector<Number>& terms);
/// The NaN of a sum under NanRule::rdna, nothing if the sum is none. Of several of one origin, the first.
std::optional<Number> ranked_nan(const std::vector<Number>& terms);
/// The sign of a sum that is zero.
/// @param values  of the terms as they were added, in the order of `terms`
Sign zero_sum_sign(const std::vector<Number>& terms, const std::vector<Dyadic>& values);
/// The exact sum, with reference exponent 0.
Number exact_sum(const std::vector<Number>& terms);

/// An operand as a leaf reads it.
template <class Leaf>
Number flushed(const Format& f, Number operand, const Leaf& leaf) {
    if (!leaf.ftz || !operand.is_finite() || !f.has_subnormals()) return operand;
    if (operand.is_zero()) return finite({}, operand.exponent, leaf.zin_keep ? operand.sign : Sign::plus);
    if (log2_floor(operand.value) >= f.emin()) return operand;
    return finite({}, operand.exponent, leaf.fsign_keep ? operand.sign : Sign::plus);
}

/// A factor as the products read it.
Number factor(const Format& f, Number operand, const Product& p);

/// The conversion to a format (ρ of Xie et al., Table 2; with flushing lines 2, 4 and 5 of Algorithm 1).
Number converted(const Round& r, const Number& n);

} // namespace discern::exact
