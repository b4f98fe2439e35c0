// Bit patterns as hexadecimal text: always as many digits as the format's width needs.
#pragma once

#include "format.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace discern {

/// Appends the low 4·digits bits as lower-case digits.
void append_hex(std::string& text, std::uint64_t bits, int digits);

/// A pattern of the format, in the format's own number of digits.
std::string to_hex(const Format& format, std::uint64_t bits);

/// The number written with 1 to 16 hexadecimal digits of either case; nothing if anything else is in the text.
std::optional<std::uint64_t> parse_hex(std::string_view digits);

/// The pattern of the format; nothing unless the text has exactly its number of digits, all hexadecimal, and fits its
/// width (which is not a multiple of four for e3m2 and e2m3).
std::optional<std::uint64_t> parse_pattern(const Format& format, std::string_view text);

/// Why parse_pattern gave nothing, as the second half of a sentence: what the text is, and what would be right.
std::string pattern_complaint(const Format& format, std::string_view text);

} // namespace discern
