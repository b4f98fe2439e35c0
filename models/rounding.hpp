// Rounding modes, by the names that the field and the notation use.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace discern {

enum class Rounding : std::uint8_t {
    rz,  ///< toward zero (truncation of the magnitude)
    rd,  ///< toward minus infinity
    ru,  ///< toward plus infinity
    rne, ///< to nearest, ties to the even neighbour
    rna, ///< to nearest, ties away from zero
    odd, ///< to odd: an inexact magnitude is truncated and its last bit set ("jamming")
};

inline constexpr std::array<std::string_view, 6> rounding_names = {"rz", "rd", "ru", "rne", "rna", "odd"};

constexpr std::string_view name(Rounding mode) { return rounding_names[static_cast<std::size_t>(mode)]; }

/// The mode of that name, or nothing.
constexpr std::optional<Rounding> rounding_from_name(std::string_view text) {
    for (std::size_t i = 0; i < rounding_names.size(); ++i)
        if (rounding_names[i] == text) return static_cast<Rounding>(i);
    return std::nullopt;
}

/// Whether a magnitude that was truncated after its last kept bit has to be incremented by one unit of that bit.
/// @param negative  sign of the number
/// @param odd_last  the last kept bit is 1
/// @param half      the first discarded bit is 1
/// @param sticky    some later discarded bit is 1
constexpr bool rounds_away(Rounding mode, bool negative, bool odd_last, bool half, bool sticky) {
    const bool inexact = half || sticky;
    switch (mode) {
    case Rounding::rz: return false;
    case Rounding::rd: return negative && inexact;
    case Rounding::ru: return !negative && inexact;
    case Rounding::rne: return half && (sticky || odd_last);
    case Rounding::rna: return half;
    case Rounding::odd: return inexact && !odd_last;
    }
    return false;
}

} // namespace discern
