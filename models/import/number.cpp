#include "number.hpp"

#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <cmath>

namespace discern {

namespace {

using Integer = boost::multiprecision::cpp_int;

constexpr std::size_t most_digits = 5000;
constexpr int largest_exponent = 20'000; ///< of ten or of two; beyond it all formats have only zero and infinity

/// A number as it is written: integer · 2^scale, and a little more if `sticky`.
struct Written {
    enum class Kind : std::uint8_t { finite, infinite, nan } kind = Kind::finite;
    bool negative = false;
    Integer integer = 0;
    int scale = 0;
    bool sticky = false;
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_word(std::string_view text, std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                      [](char one, char other) { return lower(one) == other; });
}

int digit_value(char c) {
    c = lower(c);
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/// Digits with perhaps a point among them. @return how many there are after the point, nothing if there is no digit
std::optional<int> take_digits(std::string_view& text, int base, std::string& digits, bool& has_point) {
    int after = 0;
    has_point = false;
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        if (text[at] == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (digit_value(text[at]) >= base) break;
        digits += text[at];
        after += has_point ? 1 : 0;
    }
    text.remove_prefix(at);
    if (digits.empty() || digits.size() > most_digits) return std::nullopt;
    return after;
}

/// The number behind an exponent's letter, which must be all of the text.
std::optional<int> exponent_of(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (text.empty()) return std::nullopt;
    int value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        value = std::min(value * 10 + (c - '0'), 10 * largest_exponent);
    }
    return negative ? -value : value;
}

Integer integer_of(std::string_view digits, int base) {
    Integer value = 0;
    for (const char c : digits) value = value * base + digit_value(c);
    return value;
}

/// digits · 10^exponent
void set_decimal(Written& number, const std::string& digits, int exponent) {
    number.integer = integer_of(digits, 10);
    if (number.integer == 0) return;
    exponent = std::clamp(exponent, -largest_exponent, largest_exponent);
    const Integer power = boost::multiprecision::pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
    if (exponent >= 0) {
        number.integer *= power;
        return;
    }
    // A quotient of 80 bits or more, which is more than any format has, and whether anything is left.
    constexpr unsigned bits = 80;
    const auto have = msb(number.integer), need = msb(power) + bits;
    const unsigned shift = need > have ? static_cast<unsigned>(need - have) : 0;
    number.integer <<= shift;
    number.scale = -static_cast<int>(shift);
    Integer rest;
    Integer quotient;
    divide_qr(number.integer, power, quotient, rest);
    number.integer = quotient;
    number.sticky = rest != 0;
}

std::optional<Written> written(std::string_view text) {
    Written number;
    if (text.starts_with('-') || text.starts_with('+')) {
        number.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    if (is_word(text, "inf") || is_word(text, "infinity")) {
        number.kind = Written::Kind::infinite;
        return number;
    }
    if (is_word(text, "nan")) {
        number.kind = Written::Kind::nan;
        return number;
    }
    const bool hexadecimal = text.size() > 2 && text[0] == '0' && lower(text[1]) == 'x';
    if (hexadecimal) text.remove_prefix(2);
    std::string digits;
    bool has_point = false;
    const auto after = take_digits(text, hexadecimal ? 16 : 10, digits, has_point);
    if (!after) return std::nullopt;
    std::optional<int> exponent = 0;
    const bool has_exponent = !text.empty() && lower(text.front()) == (hexadecimal ? 'p' : 'e');
    if (has_exponent) exponent = exponent_of(text.substr(1));
    if ((!has_exponent && !text.empty()) || !exponent) return std::nullopt;
    if (hexadecimal) {
        if (!has_point && !has_exponent) return std::nullopt; // 0x3c00 is a pattern
        number.integer = integer_of(digits, 16);
        number.scale = *exponent - 4 * *after;
    } else {
        set_decimal(number, digits, *exponent - *after);
    }
    return number;
}

Written written(double value) {
    Written number;
    number.negative = std::signbit(value);
    if (std::isnan(value)) {
        number.kind = Written::Kind::nan;
    } else if (std::isinf(value)) {
        number.kind = Written::Kind::infinite;
    } else {
        constexpr int digits = 53;
        int exponent = 0;
        const double fraction = std::frexp(std::fabs(value), &exponent);
        number.integer = static_cast<std::uint64_t>(std::ldexp(fraction, digits));
        number.scale = exponent - digits;
    }
    return number;
}

NumberPattern zero(const Format& f, bool negative) {
    if (!f.has_zero) throw Error(sentence("is zero, which ", f.name, " does not have"));
    const bool kept = negative && f.has_minus_zero();
    return {.bits = pack(f, {.number_class = NumberClass::finite, .negative = kept, .exponent = f.emin()}),
            .exact = kept == negative};
}

NumberPattern finite(const Format& f, const Written& number, NumberRounding rounding) {
    if (number.integer == 0 && !number.sticky) return zero(f, number.negative);
    if (number.negative && !f.is_signed) throw Error(sentence("is negative, and ", f.name, " has no sign"));
    const int top = static_cast<int>(msb(number.integer)) + number.scale;
    if (!f.has_zero && top < f.emin()) throw Error(sentence("is below the smallest number of ", f.name));
    int exponent = f.is_fixed_point() ? f.emin() : std::max(top, f.emin());
    const int quantum = exponent - f.mantissa_bits;
    Integer significand = number.integer;
    bool half = false, sticky = number.sticky;
    if (number.scale >= quantum) {
        // Numbers that large do not fit; the shift that shows it need not be made.
        if (exponent <= f.emax()) significand <<= static_cast<unsigned>(number.scale - quantum);
    } else {
        const auto shift = static_cast<unsigned>(quantum - number.scale);
        const Integer kept = significand >> shift;
        const Integer rest = significand - (kept << shift);
        half = bit_test(rest, shift - 1);
        sticky = sticky || rest != (half ? Integer(Integer(1) << (shift - 1)) : Integer(0));
        significand = kept;
    }
    const bool exact = !half && !sticky;
    if (!exact && !rounding) throw Error(sentence("is no number of ", f.name, ", and must not be rounded"));
    const bool odd = significand != 0 && bit_test(significand, 0);
    if (!exact && rounds_away(*rounding, number.negative, odd, half, sticky)) ++significand;
    if (significand == 0) {
        NumberPattern small = zero(f, number.negative);
        small.exact = false;
        return small;
    }
    if (significand > f.max_significand(number.negative) && static_cast<int>(msb(significand)) > f.mantissa_bits) {
        significand >>= 1;
        ++exponent;
    }
    if (exponent > f.emax() || (exponent == f.emax() && significand > f.max_significand(number.negative)))
        throw Error(sentence("is beyond the largest number of ", f.name));
    return {.bits = pack(f, {.number_class = NumberClass::finite,
                             .negative = number.negative,
                             .significand = static_cast<std::uint64_t>(significand),
                             .exponent = exponent}),
            .exact = exact};
}

NumberPattern converted(const Format& f, const Written& number, NumberRounding rounding) {
    if (number.kind == Written::Kind::finite) return finite(f, number, rounding);
    if (number.kind == Written::Kind::nan) {
        if (!f.has_nan()) throw Error(sentence("is not a number, and ", f.name, " has no NaN"));
        return {.bits = quiet_nan(f), .is_nan = true};
    }
    if (!f.has_infinity()) throw Error(sentence("is infinite, and ", f.name, " has no infinity"));
    return {.bits = pack(f, {.number_class = NumberClass::infinite, .negative = number.negative})};
}

} // namespace

NumberRounding number_rounding_from(std::string_view text) {
    if (text == "exact") return std::nullopt;
    if (const auto mode = rounding_from_name(text)) return *mode;
    throw Error(
        sentence("--round: there is no rounding ", excerpt(text), "; it must be exact, or one of ", rounding_list));
}

bool is_number(std::string_view text) { return written(text).has_value(); }

NumberPattern number_pattern(const Format& format, std::string_view text, NumberRounding rounding) {
    const auto number = written(text);
    if (!number) {
        const bool comma = text.find(',') != std::string_view::npos;
        throw Error(
            sentence(excerpt(text), " is no number",
                     comma ? "; a decimal point is a point" : "; numbers are written as in 0.5, 1e-3 or 0x1.8p+1"));
    }
    try {
        return converted(format, *number, rounding);
    } catch (const Error& error) {
        throw Error(sentence(excerpt(text), " ", error.what()));
    }
}

NumberPattern number_pattern(const Format& format, double value, NumberRounding rounding) {
    try {
        return converted(format, written(value), rounding);
    } catch (const Error& error) {
        throw Error(sentence(shortest(value), " ", error.what()));
    }
}

std::optional<NumberPattern> find_number_pattern(const Format& format, std::string_view text, NumberRounding rounding) {
    try {
        return number_pattern(format, text, rounding);
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::optional<std::uint64_t> prefixed_pattern(const Format& format, std::string_view text) {
    if (text.size() > 2 && text[0] == '0' && lower(text[1]) == 'x') text.remove_prefix(2);
    return parse_pattern(format, text);
}

} // namespace discern
