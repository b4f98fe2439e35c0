#include "drawn_pairs.hpp"

#include "catalogue_pairs.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"
#include "models/random.hpp"
#include "solver/decide/discriminate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <sstream>

namespace discern::bench {

namespace {

// Those that make another shape, and those whose values are not listed: patterns and formats.
constexpr std::array not_changed = {"catalogue", "P", "G", "L", "K", "interleave", "nan", "as"};

/// A number: near the present one, or one at which something of the formats ends.
int drawn_number(Random& random, const std::string& present, bool negative) {
    constexpr std::array lowest = {-1074, -1022, -149, -133, -126, -24, -14};
    int now = 0;
    if (std::from_chars(present.data(), present.data() + present.size(), now).ec == std::errc() && !random.one_in(3))
        return now + (random.one_in(2) ? 1 : -1) * random.between(1, 4);
    if (negative) return lowest[static_cast<std::size_t>(random.below(static_cast<int>(lowest.size())))];
    return random.between(1, 64);
}

std::string drawn_value(Random& random, const OverrideKey& key, const std::string& present) {
    std::istringstream words{std::string(key.values)};
    std::vector<std::string> values;
    for (std::string word; words >> word;) values.push_back(word.substr(0, word.find(',')));
    const std::string word = values[static_cast<std::size_t>(random.below(static_cast<int>(values.size())))];
    const bool negative = key.key == "zero" || key.key == "floor" || key.key == "empty";
    if (word == "n") return std::to_string(drawn_number(random, present, negative));
    if (word.starts_with("MODE")) {
        constexpr std::array modes = {"rz", "rd", "ru", "rne", "rna", "odd"};
        return modes[static_cast<std::size_t>(random.below(static_cast<int>(modes.size())))];
    }
    return word;
}

/// All sums with their children in the opposite order.
void reverse(Node& node) {
    if (auto* round = std::get_if<Round>(&node.kind)) reverse(round->get());
    auto* fuse = std::get_if<Fuse>(&node.kind);
    if (fuse == nullptr) return;
    std::reverse(fuse->children.begin(), fuse->children.end());
    for (Child& child : fuse->children) reverse(child.get());
}

bool fold_to_the_same(const Unit& one, const Unit& other, std::uint64_t seed) {
    DiscriminateOptions options;
    options.solver = "random"; // terms, then vectors
    options.timeout = 20;
    options.threads = 1;
    options.shrink = false;
    options.seed = seed;
    if (!incomparable(one, other).empty()) return false;
    const Answer answer = discriminate(one, other, options);
    return answer.verdict == Verdict::equivalent && (answer.ground == by_terms || answer.ground == by_structure);
}

} // namespace

std::string change(Random& random, Unit& unit) {
    if (random.one_in(12)) {
        reverse(unit.tree);
        return "order";
    }
    auto present = parameters(unit);
    std::erase_if(present, [](const auto& parameter) {
        return std::find(not_changed.begin(), not_changed.end(), parameter.first) != not_changed.end();
    });
    std::string settings;
    for (int changes = random.between(1, 2); changes > 0 && !present.empty(); --changes) {
        const auto at = present.begin() + random.below(static_cast<int>(present.size()));
        const auto known = std::find_if(override_keys().begin(), override_keys().end(),
                                        [&](const OverrideKey& k) { return k.key == at->first; });
        settings +=
            (settings.empty() ? "" : ",") + std::string(at->first) + "=" + drawn_value(random, *known, at->second);
        present.erase(at);
    }
    if (settings.empty()) return "";
    const Unit changed = with_overrides(unit, "{" + settings + "}");
    if (changed == unit) return "";
    unit = changed;
    std::replace(settings.begin(), settings.end(), ',', ' ');
    return settings;
}

std::vector<DrawnPair> drawn_pairs(std::size_t count, std::uint64_t seed, int most_K) {
    const auto units = distinct_units();
    Random random(seed);
    std::vector<DrawnPair> pairs;
    std::set<std::string> seen;
    while (pairs.size() < count) {
        const CatalogueEntry& entry = *units[static_cast<std::size_t>(random.below(static_cast<int>(units.size())))];
        try {
            Unit unit = entry.unit;
            if (unit.K > most_K) unit = with_overrides(unit, "{K=" + std::to_string(std::max(unit.L, most_K)) + "}");
            Unit other = unit;
            DrawnPair pair{change(random, other), entry.name, to_string(unit), to_string(other)};
            if (pair.change.empty() || pair.first == pair.second || !seen.insert(pair.first + pair.second).second)
                continue;
            if (fold_to_the_same(unit, other, seed)) pairs.push_back(std::move(pair));
        } catch (const Error&) { // the change has no meaning for this unit
        }
    }
    return pairs;
}

} // namespace discern::bench
