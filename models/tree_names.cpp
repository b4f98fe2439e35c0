#include "tree_names.hpp"

#include "hex.hpp"

namespace discern {

std::optional<ZeroExponent> zero_exponent_from_text(std::string_view text) {
    if (text == "ignore") return ZeroExponent{ZeroExponent::Kind::ignore, 0};
    if (text == "emin") return ZeroExponent{ZeroExponent::Kind::own, 0};
    return std::nullopt;
}

std::string to_string(const ZeroExponent& zero) {
    switch (zero.kind) {
    case ZeroExponent::Kind::ignore: return "ignore";
    case ZeroExponent::Kind::own: return "emin";
    case ZeroExponent::Kind::constant: return std::to_string(zero.value);
    }
    return "?";
}

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
