// A suite as JSON. See report.hpp.
#include "cli/base/json.hpp"
#include "models/vectors.hpp"
#include "report.hpp"

namespace discern::cli {

namespace {

// With more units the relations of all pairs are left out: classes, trees and open say the same.
constexpr std::size_t most_pairs_of = 100;

/// Two units by their numbers, and what is known of them.
Json pair_of(const Suite& suite, std::size_t i, std::size_t j) {
    const Relation relation = suite.relation(i, j);
    Json object = {{"units", {i, j}}, {"relation", name(relation)}};
    if (relation == Relation::different)
        if (const auto v = suite.separating(suite.class_of[i], suite.class_of[j])) object["vector"] = *v;
    if (const Ground ground = suite.ground(i, j); ground != Ground{}) put_ground(object, ground);
    return object;
}

Json pairs_of(const Suite& suite) {
    Json pairs = Json::array();
    for (std::size_t i = 0; i < suite.units.size(); ++i)
        for (std::size_t j = i + 1; j < suite.units.size(); ++j) pairs.push_back(pair_of(suite, i, j));
    return pairs;
}

Json texts_of(const Members& units) {
    Json texts = Json::array();
    for (std::size_t i = 0; i < units.size(); ++i) texts.push_back(units.text(i));
    return texts;
}

} // namespace

Json classes_of(const Suite& suite) {
    return list_of(suite.classes, [&](const auto& units) {
        return list_of(units, [&](std::size_t unit) { return suite.units.text(unit); });
    });
}

Json json_of(const Suite& suite) {
    const auto first_name = [&](std::size_t c) { return suite.units.text(suite.classes[c].front()); };
    const auto names = [&](const std::pair<std::size_t, std::size_t>& pair) {
        return Json::array({first_name(pair.first), first_name(pair.second)});
    };
    Json object = {{"shape", to_string(suite.shape)},
                   {"classes", classes_of(suite)},
                   {"vectors", list_of(suite.vectors, [&](const Vector& v) { return json_of(suite.shape, v); })},
                   {"open", list_of(suite.open, names)},
                   {"equal", list_of(suite.equal, names)},
                   {"units", texts_of(suite.units)},
                   {"trees", suite.tree_of}};
    if (!suite.undecided.empty())
        object["undecided"] =
            list_of(suite.undecided, [&](const std::vector<std::size_t>& list) { return list_of(list, first_name); });
    if (suite.units.size() > 1 && suite.units.size() <= most_pairs_of) object["pairs"] = pairs_of(suite);
    object["bound"] = {{"vectors", suite.bound.vectors}, {"reason", suite.bound.reason}};
    object["smallest_of_pool"] = suite.smallest_of_pool;
    object["pool"] = suite.pool;
    object["questions"] = suite.questions;
    object["stored"] = suite.stored;
    object["proofs"] = suite.proofs;
    object["challenged"] = suite.challenged;
    object["by"] = suite.by;
    put_ground(object, suite.weakest_ground());
    object["grounds"] = json_of(suite.grounds);
    object["grounds_of_equal"] = json_of(suite.grounds_of_equal);
    object["interrupted"] = suite.interrupted;
    object["seconds"] = number(suite.seconds, "{:.3f}");
    return object;
}

} // namespace discern::cli
