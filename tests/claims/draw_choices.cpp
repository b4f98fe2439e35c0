#include "draw.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"
#include "models/space.hpp"

#include <algorithm>

namespace discern::claims {

using namespace parametric;

std::optional<std::string> draw_choices(Random& random, const Unit& unit) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : discern::parameters(unit)) keys.emplace_back(key);
    std::string braces;
    const int wanted = random.between(2, 5);
    std::vector<std::string> used;
    for (int tries = 0; tries < 30 && static_cast<int>(used.size()) < wanted; ++tries) {
        const auto table = parameters();
        const Parameter* drawn = nullptr;
        // What is said of products and sums meets more of the other choices than what is said of results.
        do drawn = &table[static_cast<std::size_t>(random.below(static_cast<int>(table.size())))];
        while ((drawn->owner == OwnerKind::round || drawn->owner == OwnerKind::accumulator) && random.one_in(2));
        const Parameter& p = *drawn;
        std::string key(p.key);
        std::vector<std::string> values;
        if (random.one_in(16)) {
            key = "c";
            values = {"early", "late"};
        } else {
            const int n = any_of(random, std::vector{2, 2, 2, 2, 3, 4});
            const int first = p.key.empty() ? 0 : draw_value(random, p, unit);
            for (int i = 0; i < n && !p.key.empty(); ++i) {
                const Values& range = values_of(p.meaning);
                const bool near = range.numbers && !random.one_in(3) && first > range.low && first + n < range.high;
                const int value = near ? first + i : draw_value(random, p, unit);
                const std::string text = p.value_text(value);
                if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(text);
            }
        }
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
        if (values.size() < 2 || std::find(used.begin(), used.end(), key) != used.end()) continue;
        std::string choice = key + "={";
        for (std::size_t i = 0; i < values.size(); ++i) choice += (i == 0 ? "" : "|") + values[i];
        choice += "}";
        const std::string longer = braces.empty() ? choice : braces + "," + choice;
        try {
            if (members(std::vector{Space::parse(to_string(unit) + "{" + longer + "}")}, 1000).size() < 2) continue;
        } catch (const Error&) {
            continue;
        }
        braces = longer;
        used.push_back(key);
    }
    if (used.empty()) return std::nullopt;
    return "{" + braces + "}";
}

} // namespace discern::claims
