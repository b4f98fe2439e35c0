// The words of the notation for the tree's enumerations: one table each, read by the parser, the printer and the
// overrides.
#pragma once

#include "error.hpp"
#include "unit.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern {

template <typename T, std::size_t N>
using Names = std::array<std::pair<std::string_view, T>, N>;

inline constexpr Names<Normalisation, 3> normalisation_names = {
    {{"raw", Normalisation::raw}, {"carry", Normalisation::carry}, {"full", Normalisation::full}}};

inline constexpr Names<Overflow, 3> overflow_names = {
    {{"inf", Overflow::infinity}, {"max", Overflow::largest}, {"ieee", Overflow::ieee}}};

inline constexpr Names<Flush, 4> flush_names = {
    {{"none", Flush::none}, {"result", Flush::result}, {"after", Flush::after}, {"before", Flush::before}}};

inline constexpr Names<Rounding, 6> mode_names = {{{"rz", Rounding::rz},
                                                   {"rd", Rounding::rd},
                                                   {"ru", Rounding::ru},
                                                   {"rne", Rounding::rne},
                                                   {"rna", Rounding::rna},
                                                   {"odd", Rounding::odd}}};

/// zsign: true is IEEE 754.
inline constexpr Names<bool, 2> zero_sign_names = {{{"pos", false}, {"ieee", true}}};
/// usign, and the sign of flushed numbers: true keeps it.
inline constexpr Names<bool, 2> keep_sign_names = {{{"pos", false}, {"keep", true}}};

template <typename T, std::size_t N>
std::string_view name_in(const Names<T, N>& names, T value) {
    for (const auto& [text, entry] : names)
        if (entry == value) return text;
    return "?";
}

/// "x, y or z", for sentences.
template <typename T, std::size_t N>
std::string choices(const Names<T, N>& names) {
    std::string list;
    for (std::size_t i = 0; i < N; ++i) {
        if (i > 0) list += i + 1 == N ? " or " : ", ";
        list += names[i].first;
    }
    return list;
}

template <typename T, std::size_t N>
std::optional<T> find_name(const Names<T, N>& names, std::string_view text) {
    for (const auto& [entry, value] : names)
        if (entry == text) return value;
    return std::nullopt;
}

/// "ignore" or "emin"; numbers are left to the caller.
std::optional<ZeroExponent> zero_exponent_from_text(std::string_view text);

std::string to_string(const ZeroExponent& zero);

/// "any", "x86", or a NaN of d in hexadecimal with exactly its digits.
std::optional<NanRule> nan_rule_from_text(std::string_view text, FormatId d);
std::string to_string(const NanRule& rule, FormatId d);
inline constexpr std::string_view nan_rule_choices = "'any', 'x86' or a NaN pattern with the digits of d's format";

} // namespace discern
