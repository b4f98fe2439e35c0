// The NaN rule of a unit as text: one reading and one printing for the notation and the overrides.
#pragma once

#include "models/unit.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace discern {

/// "any", "x86", "rdna", or a NaN of d in hexadecimal with exactly its digits.
std::optional<NanRule> nan_rule_from_text(std::string_view text, FormatId d);
std::string to_string(const NanRule& rule, FormatId d);
inline constexpr std::string_view nan_rule_choices =
    "'any', 'x86', 'rdna' or a NaN pattern with the digits of d's format";

/// Under nan=rdna: the fraction field of the NaN that a NaN factor gives, whose sign bit is set: ffc00a3d in f32, fe3d
/// in f16, fffd in bf16. (AMD, ROCm/rocm-systems, emulation/rocjitsu: measured.)
/// @param f  an IEEE format
std::uint64_t factor_nan_fraction(const Format& f);
/// Under nan=rdna: whether an invalid operation gives the same NaN as a NaN factor does, as in the dot products of
/// 8-bit formats.
bool invalid_is_as_of_factor(const Unit& unit);

} // namespace discern
