// Numbers as people write them, as bit patterns of a format: 0.1, -2.5e-3, 0x1.8p+4, inf, nan.
//
// A decimal is rounded once, from its exact value, whatever its number of digits: by way of binary64 some would be
// rounded twice.
#pragma once

#include "models/format.hpp"
#include "models/rounding.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace discern {

/// How a number becomes a pattern: rounded by a mode, or only if it is exact.
using NumberRounding = std::optional<Rounding>;

/// "rne" and the like, or "exact". @throws Error that names what there is
NumberRounding number_rounding_from(std::string_view text);

struct NumberPattern {
    std::uint64_t bits = 0;
    bool exact = true; ///< the pattern has the very value
    bool is_nan = false;
};

/// Whether the text is a number: decimal, hexadecimal with a point or an exponent, infinite or NaN, with or without
/// sign.
bool is_number(std::string_view text);

/// The number as a pattern; a NaN is the format's canonical one.
/// @throws Error whose text is the second half of a sentence, like pattern_complaint(): the text is no number, it is
///         beyond the format's largest, the format lacks its sign, infinity, NaN or zero, or it is inexact and must not
///         be
NumberPattern number_pattern(const Format& format, std::string_view text, NumberRounding rounding);

/// The same for a binary64 number.
NumberPattern number_pattern(const Format& format, double value, NumberRounding rounding);

/// The same, or nothing where that throws.
std::optional<NumberPattern> find_number_pattern(const Format& format, std::string_view text, NumberRounding rounding);

/// The pattern that the text is, with or without a leading 0x; nothing if it is none of the format.
std::optional<std::uint64_t> prefixed_pattern(const Format& format, std::string_view text);

} // namespace discern
