#include "nan_rule.hpp"

#include "models/hex.hpp"

namespace discern {

std::string to_string(const NanRule& rule, FormatId d) {
    switch (rule.kind) {
    case NanRule::Kind::any: return "any";
    case NanRule::Kind::propagate: return "x86";
    case NanRule::Kind::rdna: return "rdna";
    case NanRule::Kind::pattern: return to_hex(format(d), rule.bits);
    }
    return "?";
}

std::optional<NanRule> nan_rule_from_text(std::string_view text, FormatId d) {
    if (text == "any") return NanRule{NanRule::Kind::any, 0};
    if (text == "x86") return NanRule{NanRule::Kind::propagate, 0};
    if (text == "rdna") return NanRule{NanRule::Kind::rdna, 0};
    const auto bits = parse_pattern(format(d), text);
    if (!bits) return std::nullopt;
    return NanRule{NanRule::Kind::pattern, *bits};
}

std::uint64_t factor_nan_fraction(const Format& f) {
    constexpr std::uint64_t measured = 0xa3d;
    const std::uint64_t quiet = 1ull << (f.mantissa_bits - 1);
    return quiet | (measured & (quiet - 1));
}

bool invalid_is_as_of_factor(const Unit& unit) {
    constexpr int narrow = 8;
    return format(unit.a).width <= narrow || format(unit.b).width <= narrow;
}

} // namespace discern
