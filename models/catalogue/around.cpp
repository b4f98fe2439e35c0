// The units around a unit, each of which differs from it in one parameter: what a suite of tests for a unit has to tell
// from it.
#include "models/space.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"
#include "models/rounding.hpp"
#include "models/shape.hpp"
#include "models/unit/texts.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace discern {

namespace {

using texts::whole_number;

/// Numbers next to the one that a parameter has. Lengths are halved and doubled, since they divide one another.
std::vector<int> next_to(std::string_view key, int value) {
    const bool is_length = key == "L" || key == "G" || key == "P" || key == "interleave";
    if (!is_length) return {value - 1, value + 1};
    if (value == 0) return {2, 4};
    return {value / 2, 2 * value};
}

/// A number for a parameter that has none, where one is likely to matter.
std::optional<int> first_number(std::string_view key, const Unit& unit) {
    const Format& d = format(unit.d);
    static constexpr struct {
        std::string_view key;
        int (*number)(const Format&);
    } numbers[] = {
        {"F", [](const Format& f) { return f.mantissa_bits + 1; }},
        {"F2", [](const Format& f) { return f.mantissa_bits + 1; }},
        {"floor", [](const Format& f) { return f.emin(); }},
        {"limit", [](const Format& f) { return f.emax() + 1; }},
        {"drop", [](const Format& f) { return f.mantissa_bits + 2; }},
        {"carry", [](const Format&) { return 3; }},
        {"step", [](const Format&) { return 4; }},
    };
    const auto* row =
        std::find_if(std::begin(numbers), std::end(numbers), [&](const auto& one) { return one.key == key; });
    return row == std::end(numbers) ? std::nullopt : std::optional(row->number(d));
}

/// All sets of in, c and out in which one of them is there that was not, or the other way round.
std::vector<std::string> toggled(std::string_view value) {
    constexpr std::string_view parts[] = {"in", "c", "out"};
    std::vector<std::string> all;
    const auto own = texts::split(value, '+');
    const auto has = [&](std::string_view part) { return std::find(own.begin(), own.end(), part) != own.end(); };
    for (const std::string_view flipped : parts) {
        std::string text;
        for (const std::string_view part : parts)
            if (has(part) != (part == flipped)) text += (text.empty() ? "" : "+") + std::string(part);
        all.push_back(text.empty() ? "none" : text);
    }
    return all;
}

/// The values next to a parameter's own, as an override writes them; some may make no unit.
std::vector<std::string> values_next_to(const OverrideKey& key, const std::string& own, const Unit& unit) {
    std::vector<std::string> all;
    const Format& d = format(unit.d);
    if (key.values.find("joined") != std::string_view::npos) return toggled(own);
    for (const std::string_view word : texts::words(key.values, " ")) {
        if (word == "n") {
            if (const auto number = whole_number(own))
                for (const int next : next_to(key.key, *number)) all.push_back(std::to_string(next));
            else if (const auto first = first_number(key.key, unit))
                all.push_back(std::to_string(*first));
        } else if (word == "FORMAT:MODE") {
            const std::size_t colon = own.find(':');
            const std::string format_name = own.substr(0, colon), mode = own.substr(colon + 1);
            for (const std::string_view other : rounding_names) all.push_back(format_name + ":" + std::string(other));
            // Of an intermediate format, one bit less and more: e8m13.
            const std::size_t m = format_name.find('m');
            if (m == std::string::npos || m == 0) continue;
            if (const auto bits = whole_number(std::string_view(format_name).substr(m + 1)))
                for (const int next : {*bits - 1, *bits + 1})
                    all.push_back(format_name.substr(0, m + 1) + std::to_string(next) + ":" + mode);
        } else if (word == "HEX") {
            const std::uint64_t quiet = quiet_nan(d), sign = std::uint64_t{1} << (d.width - 1);
            for (const std::uint64_t nan : {quiet, quiet ^ sign}) all.push_back(to_hex(d, nan));
        } else if (word != "MODE" && word != "FORMAT" && word != "any" && word != "default" && word != "paper") {
            all.emplace_back(word);
        }
    }
    return all;
}

/// The text of a unit with one more setting, which replaces that of the same key.
std::string with_setting(std::string_view text, std::string_view key, const std::string& value) {
    const std::size_t brace = std::min(text.find('{'), text.size());
    std::string settings;
    for (const auto& [other, its] : parse_overrides(text.substr(brace)))
        if (other != key) settings += std::string(other) + "=" + std::string(its) + ",";
    return std::string(text.substr(0, brace)) + "{" + settings + std::string(key) + "=" + value + "}";
}

} // namespace

std::vector<Member> members_around(const std::string& text) {
    const Unit unit = resolve_unit(text);
    const Shape shape = shape_of(unit);
    std::vector<Member> all = {{text, unit}};
    for (const auto& parameter : parameters(unit)) {
        const std::string_view name = parameter.first;
        const std::string& own = parameter.second;
        const auto keys = override_keys();
        const auto key = std::find_if(keys.begin(), keys.end(), [&](const OverrideKey& k) { return k.key == name; });
        // K is the unit's shape; where any NaN is right, there is none that differs.
        if (key == keys.end() || name == "K" || (name == "nan" && own == "any")) continue;
        for (const std::string& value : values_next_to(*key, own, unit)) {
            if (value == own) continue;
            const std::string changed = with_setting(text, name, value);
            try {
                const Unit other = resolve_unit(changed);
                const auto is_it = [&](const Member& member) { return member.unit == other; };
                if (shape_of(other) == shape && std::none_of(all.begin(), all.end(), is_it))
                    all.push_back({changed, other});
            } catch (const Error&) { // a combination without a meaning is no unit around this one
            }
        }
    }
    return all;
}

} // namespace discern
