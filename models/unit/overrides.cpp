#include "models/overrides.hpp"

#include "models/error.hpp"
#include "models/suggest.hpp"
#include "override_rules.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace discern {

namespace {

using namespace overrides;

struct Rule {
    std::string_view at; ///< key of the parameter that it replaces, or after which it comes
    OverrideKey key;
    void (*set)(Unit&, const Setting&) = nullptr;
    std::string (*get)(Unit&) = nullptr;
    const parametric::Parameter* parameter = nullptr; ///< whose row says all; then there are no functions
};

// Structure first, since later keys concern the parts that it makes; L before K, which limits L.
// clang-format off
constexpr std::array<Rule, 8> of_structure = {{
    {"", {"catalogue", "default paper", "whose readings a unit of the catalogue follows where sources differ"},
     set_catalogue, [](Unit&) { return std::string(); }},
    {"", {"scale", "1", "all scales are 1, and no operands (a unit that has scales)"},
     set_scale, [](Unit&) { return std::string(); }},
    {"", {"P", "n", "products added in pairs before they meet c (FTZ-AddMul)"}, set_P, get_P},
    {"", {"G", "n", "products of a group (GST-FDPA)"}, set_G, get_G},
    {"", {"L", "n", "products of a block; must divide K"}, set_L, [](Unit& u) { return std::to_string(u.L); }},
    {"", {"K", "n", "products in all, in blocks of min(n, L)"}, set_K, [](Unit& u) { return std::to_string(u.K); }},
    {"", {"interleave", "0 n", "elements go to the two blocks in runs of n"},
     set_interleave, [](Unit& u) { return std::to_string(u.interleave); }},
    {"", {"c", "early late last", "in the fused sum; added after each block's own rounding; added once at the end"},
     set_c, get_c},
}};
// clang-format on

// Keys with rules of their own; their texts are in the table of parameters where that has a row.
// clang-format off
constexpr std::array<Rule, 9> special = {{
    {"F", {}, set_F, get_F},
    {"F", {"F2", "n exact", "fraction bits of the sum of products where it meets c (TR, GTR)"}, set_F2, get_F2},
    {"align", {"sum", rounding_words, "rounding in the two-level sums (TR, GTR)"}, set_sum, get_sum},
    {"zero", {}, set_zero, get_zero},
    {"round", {}, set_round, get_round},
    {"ftz", {}, set_ftz, get_ftz},
    {"ftz", {"fsign", "none, or in c out joined by +", "which flushed numbers keep their sign; the others become +0"},
     set_fsign, get_fsign},
    {"ftz", {"zin", "pos keep", "-0 in a, b or c, where subnormals are flushed: read as +0, or as it is"},
     set_zin, get_zin},
    {"usign", {"nan", "HEX any x86 rdna", "the NaN of d"}, set_nan, get_nan},
}};
// clang-format on

/// In the order of application.
const std::vector<Rule>& rules() {
    static const std::vector<Rule> all = [] {
        std::vector<Rule> list(of_structure.begin(), of_structure.end());
        for (const parametric::Parameter& p : parametric::parameters()) {
            if (p.key.empty()) continue;
            const OverrideKey key{p.key, p.values, p.text};
            if (p.where != parametric::Where::nowhere) list.push_back({p.key, key, nullptr, nullptr, &p});
            for (Rule rule : special) {
                if (rule.at != p.key) continue;
                if (rule.key.key.empty()) rule.key = key;
                list.push_back(rule);
            }
        }
        return list;
    }();
    return all;
}

const Rule& rule_of(std::string_view key, std::string_view where) {
    const auto rule = std::find_if(rules().begin(), rules().end(), [key](const Rule& r) { return r.key.key == key; });
    if (rule != rules().end()) return *rule;
    std::vector<std::string> names;
    for (const Rule& r : rules()) names.emplace_back(r.key.key);
    const std::string hint = did_you_mean(key, names);
    throw Error(sentence("overrides ", where.substr(0, 60), ": there is no key '", key.substr(0, 40), "'",
                         hint.empty() ? "; the keys are " + texts::joined(names, " ") : hint));
}

std::string_view without_blanks(std::string_view text) { return texts::trimmed(text, " "); }

} // namespace

std::span<const OverrideKey> override_keys() {
    static const std::vector<OverrideKey> keys = [] {
        std::vector<OverrideKey> list;
        for (const Rule& rule : rules()) list.push_back(rule.key);
        return list;
    }();
    return keys;
}

std::vector<std::pair<std::string_view, std::string_view>> parse_overrides(std::string_view braces) {
    std::vector<std::pair<std::string_view, std::string_view>> settings;
    std::string_view body = without_blanks(braces);
    if (body.empty()) return settings;
    if (body.size() < 2 || body.front() != '{' || body.back() != '}' || body.find('}') != body.size() - 1)
        throw Error("overrides " + std::string(body.substr(0, 60)) +
                    (body.find('{', 1) != std::string_view::npos
                         ? ": a choice of values makes many units; suite, identify, audit and which take such a space, "
                           "as --space"
                         : ": {key=value,…} at the end of the unit is right"));
    body = body.substr(1, body.size() - 2);
    while (!without_blanks(body).empty()) {
        const auto comma = body.find(',');
        const std::string_view item = without_blanks(body.substr(0, comma));
        body = comma == std::string_view::npos ? "" : body.substr(comma + 1);
        const auto equals = item.find('=');
        if (equals == std::string_view::npos)
            throw Error("overrides: '" + std::string(item.substr(0, 40)) + "' is no setting; key=value is right");
        const std::string_view key = without_blanks(item.substr(0, equals));
        rule_of(key, braces);
        for (const auto& earlier : settings)
            if (earlier.first == key) throw Error("overrides: the key " + std::string(key) + " is given twice");
        settings.emplace_back(key, without_blanks(item.substr(equals + 1)));
    }
    return settings;
}

Unit with_overrides(const Unit& unit, std::string_view braces) {
    const auto settings = parse_overrides(braces);
    Unit variant = unit;
    for (const Rule& rule : rules())
        for (const auto& [key, value] : settings) {
            if (key != rule.key.key) continue;
            if (rule.parameter != nullptr)
                set_parameter(variant, {key, value}, *rule.parameter);
            else
                rule.set(variant, {key, value});
        }
    validate(variant);
    return variant;
}

std::vector<std::pair<std::string_view, std::string>> parameters(const Unit& unit) {
    Unit copy = unit; // the parts of a tree are found by functions that may change it
    std::vector<std::pair<std::string_view, std::string>> values;
    for (const Rule& rule : rules()) {
        std::string value = rule.parameter != nullptr ? get_parameter(copy, *rule.parameter) : rule.get(copy);
        if (!value.empty()) values.emplace_back(rule.key.key, std::move(value));
    }
    return values;
}

} // namespace discern
