#include "number.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace discern::cli {

namespace {

constexpr std::string_view digits = "0123456789";
constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();

/// digits × 10^exponent, both without sign and zeros at the ends.
struct Decimal {
    std::string digits;
    std::int64_t exponent = 0;
};

/// Takes the digits at the front of the text away.
std::string_view take_digits(std::string_view& text) {
    const std::size_t end = std::min(text.find_first_not_of(digits), text.size());
    const std::string_view front = text.substr(0, end);
    text.remove_prefix(end);
    return front;
}

/// A number that is not negative.
std::optional<Decimal> decimal(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    Decimal number;
    number.digits = take_digits(text);
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        const std::string_view fraction = take_digits(text);
        number.digits += fraction;
        number.exponent = -static_cast<std::int64_t>(fraction.size());
    }
    if (number.digits.empty()) return std::nullopt;
    if (text.starts_with('e') || text.starts_with('E')) {
        text.remove_prefix(1);
        if (text.starts_with('+')) text.remove_prefix(1);
        const bool negative = text.starts_with('-');
        if (negative) text.remove_prefix(1);
        const std::string_view word = take_digits(text);
        constexpr std::size_t most = 9; // digits of an exponent; more are a mistake
        if (word.empty() || word.size() > most) return std::nullopt;
        std::int64_t exponent = 0;
        std::from_chars(word.data(), word.data() + word.size(), exponent);
        number.exponent += negative ? -exponent : exponent;
    }
    if (!text.empty()) return std::nullopt;
    number.digits.erase(0, std::min(number.digits.find_first_not_of('0'), number.digits.size()));
    while (number.digits.ends_with('0')) {
        number.digits.pop_back();
        ++number.exponent;
    }
    return number;
}

std::string range_text(WholeRange range) {
    if (range.most != no_limit) return sentence("a whole number from ", range.least, " to ", range.most);
    return sentence("a whole number of ", range.least, " or more, such as 1000 or 1e6");
}

[[noreturn]] void refuse(std::string_view text, const std::string& right) {
    const std::size_t comma = text.find(',');
    std::string with_point(text);
    if (comma != std::string_view::npos) with_point[comma] = '.';
    const bool is_comma = comma != std::string_view::npos && real_number(with_point);
    throw Error(sentence(excerpt(text), " is not right; it must be ", right,
                         is_comma ? sentence("; a decimal point is a point, as in ", with_point) : ""));
}

} // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) {
    std::optional<Decimal> number = decimal(text);
    if (!number) return std::nullopt;
    if (number->digits.empty()) return 0;
    if (number->exponent < 0 || number->exponent > 20) return std::nullopt;
    number->digits.append(static_cast<std::size_t>(number->exponent), '0');
    std::uint64_t value = 0;
    const char* const end = number->digits.data() + number->digits.size();
    const auto read = std::from_chars(number->digits.data(), end, value);
    return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

std::optional<double> real_number(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (!decimal(negative ? text.substr(1) : text)) return std::nullopt;
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::uint64_t require_whole(std::string_view text, WholeRange range) {
    const std::optional<std::uint64_t> value = whole_number(text);
    if (!value || *value < range.least || *value > range.most) refuse(text, range_text(range));
    return *value;
}

double require_seconds(std::string_view text, bool may_be_zero) {
    struct Unit {
        std::string_view name;
        double seconds;
    };
    static constexpr auto units = std::to_array<Unit>({{"min", 60}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}});
    const auto* const unit = std::ranges::find_if(units, [&](const Unit& one) { return text.ends_with(one.name); });
    const bool has_unit = unit != units.end();
    std::optional<double> value = real_number(has_unit ? text.substr(0, text.size() - unit->name.size()) : text);
    if (value && has_unit) *value *= unit->seconds;
    if (!value || *value < 0 || (*value == 0 && !may_be_zero) || !std::isfinite(*value))
        refuse(text, may_be_zero ? "a number of seconds, 0 or more, or as in 2m and 1h"
                                 : "a number of seconds above 0, or as in 2m and 1h");
    return *value;
}

double require_real(std::string_view text) {
    const std::optional<double> value = real_number(text);
    if (!value) refuse(text, "a finite number, such as 2, -0.5 or 1e3");
    return *value;
}

} // namespace discern::cli
