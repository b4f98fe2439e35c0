// A finite number is an unbounded integer times a power of two, so that no operation but a conversion rounds.
#include "exact_numbers.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace discern::exact {

namespace {

Number nan(std::optional<NanContent> content, bool tentative = false) {
    return {.number_class = NumberClass::nan, .tentative = tentative, .content = content};
}

std::uint64_t ones(int n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

Dyadic largest(const Format& f) { return {Integer(f.max_significand()), f.emax() - f.mantissa_bits}; }

// Fixed point: a pattern is the integer n in two's complement, and the number n / 2^fraction bits.

Dyadic fixed_point_number(const Format& f, std::uint64_t bits) {
    const Integer n = bits >> (f.width - 1) != 0 ? Integer(bits) - (Integer(1) << f.width) : Integer(bits);
    return {n, f.lsb()};
}

std::uint64_t fixed_point_pattern(const Format& f, const Dyadic& value) {
    const Dyadic exact = rounded(value, f.lsb(), Rounding::rz);
    Integer n = exact.is_zero() ? Integer(0) : Integer(exact.integer << (exact.scale - f.lsb()));
    if (n < 0) n += Integer(1) << f.width;
    return static_cast<std::uint64_t>(n);
}

} // namespace

bool exceeds_largest(const Format& f, const Dyadic& x) {
    const Dyadic excess = Dyadic{magnitude(x.integer), x.scale} - largest(f);
    return !excess.is_zero() && !excess.is_negative();
}

Number finite(Dyadic value, std::optional<int> exponent, Sign zero_sign) {
    Number n;
    n.sign = value.is_zero() ? zero_sign : sign_from(value.is_negative());
    n.value = std::move(value);
    n.exponent = exponent;
    return n;
}

Number infinity(Sign sign, bool tentative) {
    return {.number_class = NumberClass::infinite, .sign = sign, .tentative = tentative};
}

// --------------------------------------------------------------------------------------------- bit patterns

Number read(const Format& f, std::uint64_t bits) {
    if (f.is_fixed_point()) return finite(fixed_point_number(f, bits), f.emin(), Sign::plus);
    const bool negative = f.is_signed && ((bits >> (f.width - 1)) & 1) != 0;
    const std::uint64_t unsigned_part = (bits >> f.padding_bits) & ones(f.exponent_bits + f.mantissa_bits);
    const std::uint64_t mantissa = unsigned_part & ones(f.mantissa_bits);
    const std::uint64_t infinity_pattern = ones(f.exponent_bits) << f.mantissa_bits;
    const std::uint64_t all_ones = ones(f.exponent_bits + f.mantissa_bits);

    if ((f.specials == Specials::ieee && unsigned_part == infinity_pattern) ||
        (f.specials == Specials::inuz && unsigned_part == all_ones))
        return infinity(sign_from(negative));
    const bool is_nan = (f.specials == Specials::ieee && unsigned_part > infinity_pattern) ||
                        (f.specials == Specials::all_ones && unsigned_part == all_ones) ||
                        (f.has_nan_for_minus_zero() && negative && unsigned_part == 0);
    if (is_nan) {
        const std::uint64_t aligned = f.mantissa_bits == 0 ? 0 : mantissa << (64 - f.mantissa_bits);
        Number n = nan(NanContent{negative, aligned | quiet_bit});
        n.sign = sign_from(negative);
        return n;
    }

    const bool has_hidden_bit = !f.has_zero || unsigned_part > mantissa;
    const int exponent = has_hidden_bit ? static_cast<int>(unsigned_part >> f.mantissa_bits) - f.bias : f.emin();
    const Integer significand = mantissa + (has_hidden_bit ? 1ull << f.mantissa_bits : 0);
    return finite({negative ? Integer(-significand) : significand, exponent - f.mantissa_bits}, exponent,
                  sign_from(negative));
}

std::uint64_t write(const Format& f, const Number& n) {
    if (f.is_fixed_point()) return fixed_point_pattern(f, n.value);
    const std::uint64_t sign_bit = n.sign == Sign::minus ? 1ull << (f.width - 1) : 0;
    if (n.is_infinite()) {
        if (f.specials == Specials::inuz) return sign_bit | ones(f.exponent_bits + f.mantissa_bits);
        return sign_bit | (ones(f.exponent_bits) << (f.mantissa_bits + f.padding_bits));
    }
    if (n.is_zero()) return sign_bit;
    // In units of the last bit; the hidden bit of a normal number is what makes its exponent field one larger.
    const int exponent = std::max(log2_floor(n.value), f.emin());
    const Dyadic exact = rounded(n.value, exponent - f.mantissa_bits, Rounding::rz);
    const auto ulps =
        static_cast<std::uint64_t>(magnitude(exact.integer) << (exact.scale - exponent + f.mantissa_bits));
    const auto above_emin = static_cast<std::uint64_t>(exponent - f.emin());
    return sign_bit | (((above_emin << f.mantissa_bits) + ulps) << f.padding_bits);
}

std::uint64_t write_nan(const Format& f, const NanContent& content) {
    const std::uint64_t sign_bit = content.negative ? 1ull << (f.width - 1) : 0;
    const std::uint64_t top = ones(f.exponent_bits);
    switch (f.specials) {
    case Specials::ieee:
        return sign_bit | (((top << f.mantissa_bits) | (content.fraction >> (64 - f.mantissa_bits))) << f.padding_bits);
    case Specials::all_ones: return sign_bit | (top << f.mantissa_bits) | ones(f.mantissa_bits);
    case Specials::fnuz:
    case Specials::inuz: return 1ull << (f.width - 1);
    case Specials::none:
    case Specials::fixed: break;
    }
    throw std::logic_error("evaluate_exactly: a NaN reached a format that has none");
}

// --------------------------------------------------------------------------------- products and sums of numbers

Number product_of(const Number& x, const Number& y, bool infzero) {
    if (x.is_nan() || y.is_nan()) return nan(x.content ? x.content : y.content);
    const Sign sign = x.sign == Sign::mixed || y.sign == Sign::mixed ? Sign::mixed : sign_from(x.sign != y.sign);
    if (!x.is_finite() || !y.is_finite()) return (x.is_zero() || y.is_zero()) && !infzero ? nan({}) : infinity(sign);
    return finite(x.value * y.value, *x.exponent + *y.exponent, sign);
}

std::optional<Number> special_sum(const std::vector<Number>& terms) {
    for (const bool tentative : {false, true}) {
        bool has_nan = false, has_plus = false, has_minus = false;
        std::optional<NanContent> content;
        for (const Number& t : terms) {
            if (t.is_finite() || t.tentative != tentative) continue;
            has_nan |= t.is_nan();
            has_plus |= t.is_infinite() && t.sign == Sign::plus;
            has_minus |= t.is_infinite() && t.sign == Sign::minus;
            if (!content) content = t.content;
        }
        if (has_nan || (has_plus && has_minus)) return nan(content, tentative);
        if (has_plus || has_minus) return infinity(sign_from(has_minus), tentative);
    }
    return std::nullopt;
}

std::optional<Number> ranked_nan(const std::vector<Number>& terms) {
    std::optional<Number> best;
    bool has_plus = false, has_minus = false;
    for (const Number& t : terms) {
        if (t.tentative) continue;
        has_plus |= t.is_infinite() && t.sign == Sign::plus;
        has_minus |= t.is_infinite() && t.sign == Sign::minus;
        if (t.is_nan() && (!best || t.origin > best->origin)) best = t;
    }
    if (has_plus && has_minus && (!best || best->origin < NanOrigin::invalid_operation)) {
        best = nan({});
        best->origin = NanOrigin::invalid_operation;
    }
    return best;
}

Sign zero_sum_sign(const std::vector<Number>& terms, const std::vector<Dyadic>& values) {
    if (!std::all_of(values.begin(), values.end(), [](const Dyadic& v) { return v.is_zero(); })) return Sign::mixed;
    const Sign first = terms.front().sign;
    const bool common = std::all_of(terms.begin(), terms.end(), [&](const Number& t) { return t.sign == first; });
    return common ? first : Sign::mixed;
}

Number exact_sum(const std::vector<Number>& terms) {
    if (auto special = special_sum(terms)) return *std::move(special);
    std::vector<Dyadic> values;
    for (const Number& t : terms) values.push_back(t.value);
    return finite(sum(values), 0, zero_sum_sign(terms, values));
}

Number factor(const Format& f, Number operand, const Product& p) {
    if (operand.is_infinite() && p.infnan) {
        const Sign sign = operand.sign;
        operand = nan({});
        operand.sign = sign;
    }
    if (operand.is_nan() && p.nanzero) operand = finite({}, f.emin(), operand.sign);
    return flushed(f, std::move(operand), p);
}

// ----------------------------------------------------------------------------------------------- conversion

namespace {

/// Whether IEEE 754 (§7.4) gives infinity for an overflow, by mode: for positive, for negative numbers. Away from zero
/// and to nearest, whatever ties do, the infinity.
constexpr std::array<std::array<bool, 2>, rounding_names.size()> ieee_overflow_is_infinite = {{
    {false, false}, // rz
    {false, true},  // rd
    {true, false},  // ru
    {true, true},   // rne
    {true, true},   // rna
    {false, false}, // odd
    {true, true},   // ra
    {true, true},   // rnu
    {true, true},   // rnd
    {true, true},   // rnz
    {true, true},   // rno
}};

Number largest_of(const Format& f, Sign sign) {
    const Dyadic most = largest(f);
    return finite({sign == Sign::minus ? Integer(-most.integer) : most.integer, most.scale}, f.emax(), sign);
}

/// An infinity in a format that may lack it: then NaN, and the largest number if there is no NaN either.
Number infinity_of(const Format& f, Sign sign) {
    if (f.has_infinity()) return infinity(sign);
    if (f.has_nan()) return read(f, write_nan(f, invalid));
    return largest_of(f, sign);
}

/// Whether a result is flushed. One that the mode alone rounds to zero is no subnormal result, but the exact number was
/// below emin.
bool is_flushed(const Round& r, const Format& f, const Dyadic& exact, const Dyadic& result) {
    const auto tiny = [&](const Dyadic& x) { return log2_floor(x) < f.emin(); };
    switch (r.ftz) {
    case Flush::none: return false;
    case Flush::result: return !result.is_zero() && tiny(result);
    case Flush::before: return tiny(exact);
    case Flush::after: return tiny(rounded(exact, log2_floor(exact) - f.mantissa_bits, r.mode));
    }
    return false;
}

/// To the nearest integer below 2^(width − 1) and from −2^(width − 1) up that the mode gives, in ulps; what is
/// beyond these, infinite too, to the last of them, NaN to 0.
Number in_fixed_point(const Format& f, Rounding mode, const Number& n) {
    const Dyadic highest{(Integer(1) << (f.width - 1)) - 1, f.lsb()};
    const Dyadic lowest{-(Integer(1) << (f.width - 1)), f.lsb()};
    const auto is_below = [](const Dyadic& x, const Dyadic& y) { return (x - y).is_negative(); };
    const auto result = [&](const Dyadic& value) { return finite(value, f.emin(), Sign::plus); };
    if (n.is_nan()) return result({});
    if (n.is_infinite()) return result(n.sign == Sign::minus ? lowest : highest);
    const Dyadic whole = rounded(n.value, f.lsb(), mode);
    return result(is_below(whole, lowest) ? lowest : is_below(highest, whole) ? highest : whole);
}

} // namespace

Number converted(const Round& r, const Number& n) {
    const Format& f = format(r.format);
    if (f.is_fixed_point()) return in_fixed_point(f, r.mode, n);
    // Formats whose NaN is in the place of −0 have no minus zero.
    const auto zero = [&](Sign sign) -> Number {
        return {.exponent = f.emin(), .sign = f.has_minus_zero() ? sign : Sign::plus};
    };

    if (n.is_nan()) return f.has_nan() ? read(f, write_nan(f, n.content.value_or(invalid))) : n;
    if (n.is_infinite()) return infinity_of(f, n.sign);
    if (n.is_zero()) {
        if (!r.zsign_ieee) return zero(Sign::plus);
        return zero(n.sign != Sign::mixed ? n.sign : sign_from(r.mode == Rounding::rd));
    }

    const Dyadic result = rounded(n.value, std::max(log2_floor(n.value), f.emin()) - f.mantissa_bits, r.mode);
    if (is_flushed(r, f, n.value, result)) return zero(r.fsign_keep ? n.sign : Sign::plus);
    if (result.is_zero()) return zero(r.usign_keep ? n.sign : Sign::plus);

    if (exceeds_largest(f, result)) {
        const bool minus = n.sign == Sign::minus;
        const bool infinite = r.overflow == Overflow::infinity ||
                              (r.overflow == Overflow::ieee &&
                               ieee_overflow_is_infinite[static_cast<std::size_t>(r.mode)][minus ? 1 : 0]);
        return infinite ? infinity_of(f, n.sign) : largest_of(f, n.sign);
    }
    return finite(result, std::max(log2_floor(result), f.emin()), n.sign);
}

} // namespace discern::exact
