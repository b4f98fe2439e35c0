#include "overrides.hpp"

#include "error.hpp"
#include "override_rules.hpp"
#include "suggest.hpp"

#include <algorithm>
#include <array>

namespace discern {

namespace {

using namespace overrides;

struct Rule {
    OverrideKey key;
    void (*set)(Unit&, const Setting&);
    std::string (*get)(Unit&);
};

// In the order of application: structure first, since the later keys speak of the parts it makes; L before K, which
// cuts L.
constexpr std::array<Rule, 25> rules = {{
    {{"P", "n", "products added in pairs before they meet c (FTZ-AddMul)"}, set_P, get_P},
    {{"G", "n", "products of a group (GST-FDPA)"}, set_G, get_G},
    {{"L", "n", "products of a block; must divide K"}, set_L, [](Unit& u) { return std::to_string(u.L); }},
    {{"K", "n", "products in all, in blocks of min(n, L)"}, set_K, [](Unit& u) { return std::to_string(u.K); }},
    {{"interleave", "0 n", "elements go to the two blocks in runs of n"},
     set_interleave,
     [](Unit& u) { return std::to_string(u.interleave); }},
    {{"c", "early late last", "in the fused sum; added after each block's own rounding; added once at the end"},
     set_c,
     get_c},
    {{"F", "n exact", "fraction bits kept when terms are aligned"}, set_F, get_F},
    {{"F2", "n exact", "fraction bits of the sum of products where it meets c (TR, GTR)"}, set_F2, get_F2},
    {{"align", "rz rd ru rne rna odd", "rounding of aligned terms in the sum of products"}, set_align, get_align},
    {{"sum", "rz rd ru rne rna odd", "rounding in the two-level sums (TR, GTR)"}, set_sum, get_sum},
    {{"zero", "ignore emin n", "reference exponent of a zero term"}, set_zero, get_zero},
    {{"floor", "none n", "lower bound of the maximum exponent"}, set_floor, get_floor},
    {{"drop", "none n", "c counts as zero when its exponent is more than n below the maximum"}, set_drop, get_drop},
    {{"carry", "wide n", "carry bits of the register of the sum, which wraps"}, set_carry, get_carry},
    {{"product", "raw carry full", "normalisation of products"}, set_product, get_product},
    {{"limit", "none n", "a product of magnitude ≥ 2^n becomes infinite"}, set_limit, get_limit},
    {{"oinf", "yields counts", "such an infinity against one from the inputs: gives way, or makes NaN"},
     set_oinf,
     get_oinf},
    {{"as", "none FORMAT", "c is converted to this format first (exponent of subnormal c)"}, set_as, get_as},
    {{"round", "MODE FORMAT:MODE", "the block's final rounding"}, set_round, get_round},
    {{"overflow", "inf max ieee", "what a conversion gives above the largest finite number"},
     set_final<&Round::overflow, overflow_names>,
     get_final<&Round::overflow, overflow_names>},
    {{"ftz", "none, or in c out joined by +", "flush of subnormal a and b, c, results"}, set_ftz, get_ftz},
    {{"fsign", "none, or in c out joined by +", "which flushed numbers keep their sign; the others become +0"},
     set_fsign,
     get_fsign},
    {{"zsign", "pos ieee", "sign of an exactly zero sum"},
     set_final<&Round::zero_sign_ieee, zero_sign_names>,
     get_final<&Round::zero_sign_ieee, zero_sign_names>},
    {{"usign", "pos keep", "sign of a non-zero result that rounds to zero"},
     set_final<&Round::underflow_keeps_sign, keep_sign_names>,
     get_final<&Round::underflow_keeps_sign, keep_sign_names>},
    {{"nan", "HEX any x86", "the NaN of d"}, set_nan, get_nan},
}};

constexpr auto documented = [] {
    std::array<OverrideKey, rules.size()> keys;
    for (std::size_t i = 0; i < rules.size(); ++i) keys[i] = rules[i].key;
    return keys;
}();

const Rule& rule_of(std::string_view key, std::string_view where) {
    const auto rule = std::find_if(rules.begin(), rules.end(), [key](const Rule& r) { return r.key.key == key; });
    if (rule != rules.end()) return *rule;
    std::vector<std::string> names;
    std::string list;
    for (const Rule& r : rules) {
        names.emplace_back(r.key.key);
        list += (list.empty() ? "" : " ") + std::string(r.key.key);
    }
    const std::string hint = did_you_mean(key, names);
    throw Error("overrides " + std::string(where.substr(0, 60)) + ": there is no key '" +
                std::string(key.substr(0, 40)) + "'" + (hint.empty() ? "; the keys are " + list : hint));
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

} // namespace

std::span<const OverrideKey> override_keys() { return documented; }

std::vector<std::pair<std::string_view, std::string_view>> parse_overrides(std::string_view braces) {
    std::vector<std::pair<std::string_view, std::string_view>> settings;
    std::string_view body = trimmed(braces);
    if (body.empty()) return settings;
    if (body.size() < 2 || body.front() != '{' || body.back() != '}' || body.find('}') != body.size() - 1)
        throw Error("overrides " + std::string(body.substr(0, 60)) + ": {key=value,…} at the end of the unit is right");
    body = body.substr(1, body.size() - 2);
    while (!trimmed(body).empty()) {
        const auto comma = body.find(',');
        const std::string_view item = trimmed(body.substr(0, comma));
        body = comma == std::string_view::npos ? "" : body.substr(comma + 1);
        const auto equals = item.find('=');
        if (equals == std::string_view::npos)
            throw Error("overrides: '" + std::string(item.substr(0, 40)) + "' is no setting; key=value is right");
        const std::string_view key = trimmed(item.substr(0, equals));
        rule_of(key, braces);
        for (const auto& earlier : settings)
            if (earlier.first == key) throw Error("overrides: the key " + std::string(key) + " is given twice");
        settings.emplace_back(key, trimmed(item.substr(equals + 1)));
    }
    return settings;
}

Unit with_overrides(const Unit& unit, std::string_view braces) {
    const auto settings = parse_overrides(braces);
    Unit variant = unit;
    for (const Rule& rule : rules)
        for (const auto& [key, value] : settings)
            if (key == rule.key.key) rule.set(variant, {key, value});
    validate(variant);
    return variant;
}

std::vector<std::pair<std::string_view, std::string>> parameters(const Unit& unit) {
    Unit copy = unit; // the parts of a tree are found by functions that may change it
    std::vector<std::pair<std::string_view, std::string>> values;
    for (const Rule& rule : rules)
        if (std::string value = rule.get(copy); !value.empty()) values.emplace_back(rule.key.key, std::move(value));
    return values;
}

} // namespace discern
