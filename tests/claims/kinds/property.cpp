// `property UNIT NAME`: that something holds for all inputs, or a vector for which it does not.
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/property_of.hpp"

#include "analysis/property/property.hpp"
#include "analysis/property/theorems.hpp"

#include <array>
#include <stdexcept>
#include <utility>

namespace discern::claims {

namespace {

using property::Truth;

/// Vectors for whose other elements all sizes of a product are gone through.
constexpr std::size_t most_of_others = 300;

bool is_monotonic(const Truth& truth) { return truth.monotonic_of(most_of_others); }

struct Row {
    std::string_view name;
    bool (*holds)(const Truth& truth);
};

constexpr std::array<Row, 11> rows = {{{"negation", [](const Truth& t) { return t.negation(); }},
                                       {"swap", [](const Truth& t) { return t.swap(); }},
                                       {"order-in-block", [](const Truth& t) { return t.order_in_block(); }},
                                       {"order-across-blocks", [](const Truth& t) { return t.order_across_blocks(); }},
                                       {"monotonic", is_monotonic},
                                       {"faithful", [](const Truth& t) { return t.faithful(); }},
                                       {"no-false-overflow", [](const Truth& t) { return t.no_false_overflow(); }},
                                       {"specials", [](const Truth& t) { return t.specials(); }},
                                       {"zero-neutral", [](const Truth& t) { return t.zero_neutral(); }},
                                       {"split", [](const Truth& t) { return t.split(); }},
                                       {"carry-bits", [](const Truth& t) { return t.carry_bits(); }}}};

Case drawn_property(Random& random) {
    // What the tree alone says is asked about most: of all else solvers and replayed vectors answer.
    struct Asked {
        const char* name;
        int often;
        Aims aims;
    };
    static constexpr Asked table[] = {{"negation", 3, {1, 2}},
                                      {"no-false-overflow", 5, {2, 0}},
                                      {"specials", 2, {1, 2}},
                                      {"zero-neutral", 1, {1, 1}},
                                      {"monotonic", 3, {1, 0}},
                                      {"split", 1, {}},
                                      {"carry-bits", 1, {}},
                                      {"order-in-block", 1, {}},
                                      {"order-across-blocks", 1, {}},
                                      {"swap", 1, {1, 1}},
                                      {"faithful", 1, {}},
                                      {"exact-region", 2, {0, 0}}};
    std::vector<Asked> all;
    for (const Asked& one : table)
        for (int i = 0; i < one.often; ++i) all.push_back(one);
    const Asked& one = any_of(random, all);
    const std::string name = one.name;
    const bool any = random.one_in(6), barely = name == "no-false-overflow" && !random.one_in(4);
    Case asked;
    const Unit unit = draw_unit_of_properties(random, one.aims, [&](const Unit& drawn) {
        if (any) return true;
        if (name == "exact-region") return property::exact_within(drawn).has_value();
        if (barely && !barely_overflows(drawn)) return false;
        return property::theorem_for(name, drawn, std::nullopt).has_value();
    });
    asked.units = {{unit, ""}};
    asked.texts["name"] = name;
    if (random.one_in(8)) asked.options.push_back("--no-theorems");
    if (random.one_in(4)) asked.options.push_back("--seed " + std::to_string(random.below(1000)));
    return asked;
}

/// exact-region: the n that is said, and the one that the vector refutes.
std::string wrong_region(const Unit& unit, const PropertyAnswer& answer) {
    if (answer.is("proved")) {
        const TruthOf truth(unit);
        const int n = truth->exact_region(), said = answer.said.at("value").get<int>();
        if (n < said)
            return "said of n = " + std::to_string(said) +
                   "; but there is another result, for n = " + std::to_string(n + 1) + ", of " +
                   as_options(unit, truth->shown_most());
    }
    if (!answer.vector) return answer.is("refuted") ? "refuted without a vector" : "";
    const int refuted = answer.is("refuted") ? 0 : answer.said.at("shown").get<int>();
    const std::vector<Vector> shown = {*answer.vector};
    if (Truth(unit, shown).exact_region() < refuted) return "";
    return "shown a vector that does not refute n = " + std::to_string(refuted);
}

Compared compared_property(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    const std::string& name = asked.texts.at("name");
    Compared result;
    const auto answer = ask_property(asked, name, 1);
    if (!answer) return result;
    result.command = answer->command;
    result.wrong = answer->wrong;
    result.claims = answer->is("unknown") ? 0 : 1;
    if (!result.wrong.empty()) return result;
    if (name == "exact-region") {
        result.wrong = wrong_region(unit, *answer);
        return result;
    }
    for (const Row& row : rows) {
        if (row.name != name) continue;
        if (answer->is("proved")) {
            const TruthOf truth(unit);
            if (!row.holds(*truth))
                result.wrong = "said to be so, by " + answer->said.at("by").get<std::string>() + "; but not for " +
                               as_options(unit, truth->shown());
        }
        if (answer->is("refuted")) {
            if (!answer->vector) throw std::runtime_error("refuted without a vector");
            const std::vector<Vector> shown = {*answer->vector};
            if (row.holds(Truth(unit, shown))) result.wrong = "refuted by a vector for which it holds";
        }
    }
    return result;
}

} // namespace

Kind properties_of_units() {
    return {"property", "a unit has a property for all inputs, or a vector refutes it (property), against all inputs",
            drawn_property, compared_property};
}

} // namespace discern::claims
