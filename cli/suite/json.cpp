// A suite as JSON. See report.hpp.
#include "cli/files/json.hpp"
#include "models/vectors.hpp"
#include "report.hpp"

#include <fmt/format.h>

namespace discern::cli {

namespace {

// With more units the relations of all pairs are left out: classes, trees and open say the same.
constexpr std::size_t most_pairs_of = 100;

template <typename List, typename Text>
std::string list(const List& items, const Text& text) {
    std::string json;
    for (const auto& item : items) json += (json.empty() ? "" : ",") + text(item);
    return "[" + json + "]";
}

std::string pair_json(const Suite& suite, std::size_t i, std::size_t j) {
    const Relation relation = suite.relation(i, j);
    std::string vector;
    if (relation == Relation::different)
        if (const auto v = suite.separating(suite.class_of[i], suite.class_of[j]))
            vector = fmt::format(",\"vector\":{}", *v);
    const Ground ground = suite.ground(i, j);
    if (ground != Ground{}) vector += "," + ground_json(ground);
    return fmt::format("{{\"units\":[{},{}],\"relation\":{}{}}}", i, j, json_string(name(relation)), vector);
}

} // namespace

std::string suite_json(const Suite& suite) {
    const auto unit_name = [&](std::size_t unit) { return json_string(suite.units[unit].text); };
    const auto first_name = [&](std::size_t c) { return unit_name(suite.classes[c].front()); };
    const auto names = [&](const std::pair<std::size_t, std::size_t>& pair) {
        return "[" + first_name(pair.first) + "," + first_name(pair.second) + "]";
    };
    const auto number = [](std::size_t n) { return std::to_string(n); };
    std::string pairs;
    if (suite.units.size() <= most_pairs_of)
        for (std::size_t i = 0; i < suite.units.size(); ++i)
            for (std::size_t j = i + 1; j < suite.units.size(); ++j)
                pairs += (pairs.empty() ? "" : ",") + pair_json(suite, i, j);
    return fmt::format(
        "{{\"shape\":{},\"classes\":{},\"vectors\":{},\"open\":{},\"equal\":{},\"units\":{},\"trees\":{}{},"
        "\"bound\":{{\"vectors\":{},\"reason\":{}}},\"smallest_of_pool\":{},\"pool\":{},\"questions\":{},\"stored\":{},"
        "\"proofs\":{},\"by\":{},{},\"grounds\":{},\"grounds_of_equal\":{},\"interrupted\":{},\"seconds\":{:.3f}}}",
        json_string(to_string(suite.shape)), list(suite.classes, [&](const auto& c) { return list(c, unit_name); }),
        list(suite.vectors, [&](const Vector& v) { return to_json(suite.shape, v); }), list(suite.open, names),
        list(suite.equal, names), list(suite.units, [](const Member& m) { return json_string(m.text); }),
        list(suite.tree_of, number), pairs.empty() ? "" : ",\"pairs\":[" + pairs + "]", suite.bound.vectors,
        json_string(suite.bound.reason), suite.smallest_of_pool, suite.pool, suite.questions, suite.stored,
        suite.proofs, json_list(suite.by), ground_json(suite.weakest_ground()), grounds_json(suite.grounds),
        grounds_json(suite.grounds_of_equal), suite.interrupted, suite.seconds);
}

} // namespace discern::cli
