#include "nan_rule.hpp"

#include "models/hex.hpp"

namespace discern {

std::string to_string(const NanRule& rule, FormatId d) {
    switch (rule.kind) {
    case NanRule::Kind::any: return "any";
    case NanRule::Kind::propagate: return "x86";
    case NanRule::Kind::pattern: return to_hex(format(d), rule.bits);
    }
    return "?";
}

std::optional<NanRule> nan_rule_from_text(std::string_view text, FormatId d) {
    if (text == "any") return NanRule{NanRule::Kind::any, 0};
    if (text == "x86") return NanRule{NanRule::Kind::propagate, 0};
    const auto bits = parse_pattern(format(d), text);
    if (!bits) return std::nullopt;
    return NanRule{NanRule::Kind::pattern, *bits};
}

} // namespace discern
