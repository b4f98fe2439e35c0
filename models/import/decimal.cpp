#include "decimal.hpp"

#include "models/error.hpp"
#include "models/unit/texts.hpp"
#include "number.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <charconv>

namespace discern {

namespace {

using Integer = boost::multiprecision::cpp_int;

/// ±digits · 10^exponent, as written, without zeros before the first digit.
struct Decimal {
    bool negative = false;
    std::string digits; ///< empty: zero
    int exponent = 0;
    int places = 0; ///< digits behind the point; -1 of a number with an exponent
};

/// Nothing of what is no decimal number.
std::optional<Decimal> decimal_of(std::string_view text) {
    if (!is_number(text)) return std::nullopt;
    Decimal decimal;
    if (text.starts_with('-') || text.starts_with('+')) {
        decimal.negative = text.front() == '-';
        text.remove_prefix(1);
    }
    if (text.find_first_of("xXnN") != std::string_view::npos) return std::nullopt; // hexadecimal, inf or nan
    const std::size_t e = std::min(text.find_first_of("eE"), text.size());
    bool behind = false;
    for (const char c : text.substr(0, e)) {
        if (c == '.') {
            behind = true;
            continue;
        }
        if (behind) ++decimal.places;
        if (c != '0' || !decimal.digits.empty()) decimal.digits += c;
    }
    decimal.exponent = -decimal.places;
    if (e < text.size()) {
        std::string_view power = text.substr(e + 1);
        if (power.starts_with('+')) power.remove_prefix(1);
        int value = 0;
        const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), value);
        if (error != std::errc() || std::abs(value) > 100'000) return std::nullopt;
        decimal.exponent += value;
        decimal.places = -1;
    }
    return decimal;
}

/// The exponent of ten of half of the last digit's unit, times 5: a decimal stands for all between it minus and plus 5
/// · 10^that.
int half_unit(const Decimal& decimal, PrintedDigits digits) {
    if (digits.kind == PrintedDigits::Kind::places) return -digits.count - 1;
    return decimal.exponent + static_cast<int>(decimal.digits.size()) - digits.count - 1;
}

/// The decimal plus (or minus) half a unit, as text.
std::string moved(const Decimal& decimal, int half, int direction) {
    const int common = std::min(decimal.exponent, half);
    const auto power = [&](int exponent) -> Integer {
        return boost::multiprecision::pow(Integer(10), static_cast<unsigned>(exponent - common));
    };
    Integer value = 0;
    if (!decimal.digits.empty()) value = Integer(decimal.digits) * power(decimal.exponent);
    if (decimal.negative) value = -value;
    value += 5 * direction * power(half);
    return value.str() + "e" + std::to_string(common);
}

/// The place of the first number that is not below the text, or of the last not above it; beyond the format's largest
/// number that one's.
std::int64_t end_of_range(const Format& format, const std::string& text, bool upper, std::int64_t nearest) {
    const auto number = find_number_pattern(format, text, upper ? Rounding::rd : Rounding::ru);
    if (!number) return nearest; // no number of the format lies there
    const std::int64_t place = place_of(format, number->bits);
    return upper ? std::max(nearest, place) : std::min(nearest, place);
}

bool is_exact_number(const Format& format, std::string_view text) {
    const auto number = find_number_pattern(format, text, std::nullopt);
    return number && number->exact;
}

/// The decimal without its last digit, to nearest, as text; nothing if it has one digit.
std::optional<std::string> one_digit_less(Decimal decimal) {
    if (decimal.digits.size() < 2) return std::nullopt;
    Integer value(decimal.digits);
    value = (value + 5) / 10;
    return (decimal.negative ? "-" : "") + value.str() + "e" + std::to_string(decimal.exponent + 1);
}

} // namespace

bool are_shortest(const Format& format, std::span<const std::string_view> words) {
    std::size_t most = 0;
    for (const std::string_view word : words) {
        auto decimal = decimal_of(word);
        if (!decimal) continue;
        while (decimal->digits.ends_with('0')) {
            decimal->digits.pop_back();
            ++decimal->exponent;
        }
        most = std::max(most, decimal->digits.size());
        const auto shorter = one_digit_less(*decimal);
        if (!shorter) continue;
        const auto one = find_number_pattern(format, *shorter, Rounding::rne),
                   own = find_number_pattern(format, word, Rounding::rne); // nothing: beyond the largest number
        if (one && own && one->bits == own->bits) return false;
    }
    return static_cast<int>(most) + 1 >= digits_needed(format);
}

int digits_needed(const Format& format) {
    // 2 + floor(p · log10 2), p bits of significand: 10^n > 2^p for two numbers of any binade.
    const int bits = format.significand_bits();
    return 2 + bits * 30103 / 100'000;
}

PrintedDigits printed_digits(std::span<const std::string_view> words) {
    std::size_t most = 0, fewest = SIZE_MAX, decimals = 0;
    int places = 0;
    bool equal_places = true;
    for (const std::string_view word : words) {
        const auto decimal = decimal_of(word);
        if (!decimal || (decimal->digits.empty() && decimal->places <= 0)) continue;
        if (decimals++ == 0) places = decimal->places;
        equal_places = equal_places && decimal->places == places && places > 0;
        if (decimal->digits.empty()) continue;
        most = std::max(most, decimal->digits.size());
        fewest = std::min(fewest, decimal->digits.size());
    }
    if (most == 0) return {};
    if (equal_places && decimals > 1 && fewest != most) return {.kind = PrintedDigits::Kind::places, .count = places};
    return {.kind = PrintedDigits::Kind::significant, .count = static_cast<int>(std::min<std::size_t>(most, 5000))};
}

std::optional<PrintedDigits> digits_from(std::string_view text) {
    if (text.empty()) return std::nullopt;
    if (text == "exact") return PrintedDigits{};
    const bool behind_the_point = text.starts_with('.');
    const std::string_view number = text.substr(behind_the_point ? 1 : 0);
    PrintedDigits digits{.kind = behind_the_point ? PrintedDigits::Kind::places : PrintedDigits::Kind::significant};
    digits.count = texts::whole_number(number).value_or(-1);
    constexpr int most = 100;
    if (digits.count < (behind_the_point ? 0 : 1) || digits.count > most)
        throw Error(sentence("--digits: ", excerpt(text),
                             " is neither exact, nor a number of significant digits from 1 to ", most,
                             " such as 6, nor of digits behind the point such as .2"));
    return digits;
}

bool leaves_open(const Format& format, std::span<const std::string_view> words, PrintedDigits digits) {
    if (digits.kind == PrintedDigits::Kind::exact || format.is_fixed_point()) return false;
    if (digits.kind == PrintedDigits::Kind::significant && digits.count >= digits_needed(format)) return false;
    return std::ranges::any_of(words, [&](std::string_view word) {
        const auto decimal = decimal_of(word);
        if (!decimal || decimal->digits.empty()) return false;
        // 1.23457e+06 has a last digit of tens, and is a number of f32 by chance.
        const bool ends_above_units =
            decimal->exponent > 0 && static_cast<int>(decimal->digits.size()) == digits.count && digits.count > 1;
        return ends_above_units || !is_exact_number(format, word);
    });
}

PlaceRange printed_range(const Format& format, std::string_view text, PrintedDigits digits) {
    const std::int64_t nearest = place_of(format, number_pattern(format, text, Rounding::rne).bits);
    const auto decimal = decimal_of(text);
    const bool is_zero = decimal && decimal->digits.empty();
    if (!decimal || digits.kind == PrintedDigits::Kind::exact ||
        (is_zero && digits.kind == PrintedDigits::Kind::significant))
        return {nearest, nearest};
    const int half = half_unit(*decimal, digits);
    return {end_of_range(format, moved(*decimal, half, -1), false, nearest),
            end_of_range(format, moved(*decimal, half, +1), true, nearest)};
}

bool is_print_of(const Format& format, std::string_view text, PrintedDigits digits, std::uint64_t bits) {
    const auto decimal = decimal_of(text);
    if (!decimal || digits.kind != PrintedDigits::Kind::significant || decimal->digits.empty()) return false;
    if (digits.count < digits_needed(format)) return false;
    // The nearest number is printed so if it lies within half a unit: then no end of the range is beyond it.
    const int half = half_unit(*decimal, digits);
    const auto low = find_number_pattern(format, moved(*decimal, half, -1), Rounding::ru),
               high = find_number_pattern(format, moved(*decimal, half, +1), Rounding::rd);
    const std::int64_t place = place_of(format, bits);
    return low && high && place_of(format, low->bits) <= place && place <= place_of(format, high->bits);
}

} // namespace discern
