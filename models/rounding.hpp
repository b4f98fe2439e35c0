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
    ra,  ///< away from zero
    rnu, ///< to nearest, ties toward plus infinity
    rnd, ///< to nearest, ties toward minus infinity
    rnz, ///< to nearest, ties toward zero
    rno, ///< to nearest, ties to the odd neighbour
};

/// By mode; what is added has its place at the end, since variables and seeds count the modes.
inline constexpr std::array<std::string_view, 11> rounding_names = {"rz", "rd",  "ru",  "rne", "rna", "odd",
                                                                    "ra", "rnu", "rnd", "rnz", "rno"};

namespace rounding_detail {

/// The names with something between them, and how many characters that is.
template <std::size_t Between>
struct Joined {
    std::array<char, rounding_names.size() * (3 + Between)> text{};
    std::size_t size = 0;
    constexpr explicit Joined(const char (&between)[Between + 1]) {
        for (const std::string_view name : rounding_names) {
            for (std::size_t i = 0; size > 0 && &name != rounding_names.data() && i < Between; ++i)
                text[size++] = between[i];
            for (const char c : name) text[size++] = c;
        }
    }
    constexpr std::string_view view() const { return {text.data(), size}; }
};
inline constexpr Joined<2> with_commas(", ");
inline constexpr Joined<1> with_blanks(" ");

} // namespace rounding_detail

/// The names in one line, for help and complaints: "rz, rd, …, rno", and for tables: "rz rd … rno".
inline constexpr std::string_view rounding_list = rounding_detail::with_commas.view(),
                                  rounding_words = rounding_detail::with_blanks.view();

/// The modes of published units, the commonest first. Of the others, which are those of Xie et al., §3.1.3, no unit is
/// known: what looks for one tries these before.
inline constexpr std::array usual_roundings = {Rounding::rne, Rounding::rz, Rounding::rna,
                                               Rounding::rd,  Rounding::ru, Rounding::odd};

constexpr bool is_usual(Rounding mode) {
    for (const Rounding one : usual_roundings)
        if (one == mode) return true;
    return false;
}

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
    case Rounding::ra: return inexact;
    case Rounding::rnu: return half && (sticky || !negative);
    case Rounding::rnd: return half && (sticky || negative);
    case Rounding::rnz: return half && sticky;
    case Rounding::rno: return half && (sticky || !odd_last);
    }
    return false;
}

/// Whether the nearer neighbour is chosen, so that the modes of this kind differ in ties alone.
constexpr bool is_nearest(Rounding mode) {
    const auto away = [mode](bool negative, bool half) { return rounds_away(mode, negative, false, half, true); };
    return away(false, true) && away(true, true) && !away(false, false) && !away(true, false);
}

/// Whether −x is rounded to minus what x is.
constexpr bool is_symmetric(Rounding mode) {
    return mode != Rounding::rd && mode != Rounding::ru && mode != Rounding::rnd && mode != Rounding::rnu;
}

} // namespace discern
