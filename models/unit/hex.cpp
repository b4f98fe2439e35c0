#include "models/hex.hpp"

#include "sentence.hpp"

#include <array>

namespace discern {

namespace {

constexpr std::uint8_t no_digit = 0xff;

constexpr std::array<std::uint8_t, 256> digit_values = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(no_digit);
    for (std::uint8_t i = 0; i < 10; ++i) values[static_cast<std::size_t>('0' + i)] = i;
    for (std::uint8_t i = 0; i < 6; ++i) {
        values[static_cast<std::size_t>('a' + i)] = static_cast<std::uint8_t>(10 + i);
        values[static_cast<std::size_t>('A' + i)] = static_cast<std::uint8_t>(10 + i);
    }
    return values;
}();

} // namespace

void append_hex(std::string& text, std::uint64_t bits, int digits) {
    for (int place = digits - 1; place >= 0; --place) text += "0123456789abcdef"[(bits >> (4 * place)) & 15];
}

std::string to_hex(const Format& format, std::uint64_t bits) {
    std::string text;
    append_hex(text, bits, format.digits());
    return text;
}

std::optional<std::uint64_t> parse_hex(std::string_view digits) {
    if (digits.empty() || digits.size() > 16) return std::nullopt;
    std::uint64_t bits = 0;
    unsigned seen = 0;
    for (const char character : digits) {
        const std::uint8_t value = digit_values[static_cast<unsigned char>(character)];
        seen |= value;
        bits = (bits << 4) | (value & 15u);
    }
    if (seen > 15) return std::nullopt;
    return bits;
}

std::optional<std::uint64_t> parse_pattern(const Format& format, std::string_view text) {
    if (text.size() != static_cast<std::size_t>(format.digits())) return std::nullopt;
    const auto bits = parse_hex(text);
    if (!bits || (*bits & ~format.mask()) != 0) return std::nullopt;
    return bits;
}

std::string pattern_complaint(const Format& format, std::string_view text) {
    const auto digits = static_cast<std::size_t>(format.digits());
    const std::string right = sentence("; a pattern of ", format.name, " is ", counted(digits, "hexadecimal digit"));
    if (!text.empty() && text.size() <= 16 && !parse_hex(text)) return excerpt(text) + " is not hexadecimal" + right;
    if (text.size() != digits) return sentence(excerpt(text), " has ", counted(text.size(), "digit"), right);
    return sentence(excerpt(text), " does not fit in the ", format.width, " bits of ", format.name);
}

} // namespace discern
