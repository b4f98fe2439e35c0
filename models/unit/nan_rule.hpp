// The NaN rule of a unit as text: one reading and one printing for the notation and the overrides.
#pragma once

#include "models/unit.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace discern {

/// "any", "x86", or a NaN of d in hexadecimal with exactly its digits.
std::optional<NanRule> nan_rule_from_text(std::string_view text, FormatId d);
std::string to_string(const NanRule& rule, FormatId d);
inline constexpr std::string_view nan_rule_choices = "'any', 'x86' or a NaN pattern with the digits of d's format";

} // namespace discern
