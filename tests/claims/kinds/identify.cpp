// `identify model:UNIT --space SPACE`: which members of the space the unit may be.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/kinds.hpp"
#include "claims/members.hpp"
#include "claims/verdict.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"

#include <algorithm>

namespace discern::claims {

namespace {

/// Products whose normalisation is open, and which are dropped by the exponents that they then have.
std::optional<WrittenUnit> dropped_products(Random& random, int most_bits) {
    Size size;
    size.most_bits = most_bits;
    Unit unit = draw_unit(random, size);
    for (const parametric::Owner& part : owners(unit))
        if (auto* const* child = std::get_if<Child*>(&part);
            child != nullptr && std::holds_alternative<Product>((*child)->get().kind)) {
            (*child)->F = random.between(0, 6);
            (*child)->drop = random.between(0, 3);
        }
    if (!is_valid(unit)) return std::nullopt;
    try {
        WrittenUnit space{reread(unit), "{product={raw|carry|full}}"};
        if (members_of(space.text()).size() > 1) return space;
    } catch (const Error&) { // what the unit has cannot be dropped
    }
    return std::nullopt;
}

Case drawn_identify(Random& random) {
    Case asked;
    const int bits = any_of(random, small_and_large);
    std::optional<WrittenUnit> of_products;
    if (random.one_in(4)) of_products = dropped_products(random, bits);
    const WrittenUnit space = of_products ? *of_products : draw_space(random, bits, 24);
    const std::vector<Member> units = members_of(space.text());
    // The last unit is what the target is: mostly a member.
    const Unit target = random.one_in(8) ? draw_variant(random, space.unit) : any_of(random, units).unit;
    asked.units = {space, {target, ""}};
    return asked;
}

Compared compared_identify(const Case& asked) {
    const std::string space = asked.units[0].text();
    const Unit& target = asked.units[1].unit;
    Compared result;
    std::vector<std::string> words = {
        "identify", "model:" + asked.units[1].text(), "--space", space, "--json", "--timeout", "2", "--validate",
        "2000"};
    append(words, asked.options);
    result.command = command_line(words);
    const std::vector<Member> units = members_of(space);
    const nlohmann::json said = ask(words).json();
    const std::string verdict = said.at("verdict");
    std::vector<Member> all = units;
    all.push_back({asked.units[1].text(), target});
    const AllInputs inputs(target, 16, std::vector{target});
    const Results results(all, inputs);
    const std::size_t of_target = units.size();
    // The target is something that can only be asked: if it is none of the space, whatever agrees with it on the
    // vectors that were asked may be named. Nothing is claimed of it then.
    bool is_of_space = false;
    for (std::size_t i = 0; i < units.size(); ++i) is_of_space = is_of_space || results.explains(i, of_target);
    if (verdict == "unexplained") {
        result.claims = 1;
        if (is_of_space && inputs.complete())
            result.wrong = "said to be unexplained; but the space has a unit that gives the same";
        return result;
    }
    if (verdict != "unique" && verdict != "class") return result;
    for (const char* list : {"proved", "names"}) {
        if (said.at("grounds").at(list).size() != said.at(list).size()) result.wrong = "not as many grounds as claims";
        for (const auto& ground : said.at("grounds").at(list))
            if (result.wrong.empty()) result.wrong = wrong_ground(ground, true);
    }
    if (verdict == "class" && result.wrong.empty()) result.wrong = wrong_ground(said.at("ground"), true);
    if (!result.wrong.empty() || !said.at("features").contains("member")) return result;
    const auto& features = said.at("features").at("member");
    const MemberIndex index(units);
    std::vector<std::size_t> named = {index(features.at("value"))};
    for (const auto& text : features.at("also")) named.push_back(index(text));
    result.claims = static_cast<int>(named.size());
    const std::string wrong = results.difference_within(named);
    if (!wrong.empty()) result.wrong = "said to be one class; but " + wrong;
    if (!is_of_space || !inputs.complete()) return result;
    result.claims = static_cast<int>(units.size());
    for (std::size_t i = 0; i < units.size(); ++i) {
        const bool is_same = results.explains(i, of_target),
                   is_named = std::find(named.begin(), named.end(), i) != named.end();
        if (is_named && !is_same) result.wrong = "said to be the unit; but it gives something else: " + units[i].text;
        if (!is_named && is_same)
            result.wrong = "said not to be the unit; but it gives the same for all inputs: " + units[i].text;
    }
    return result;
}

} // namespace

Kind identified_units() {
    return {"identify",
            "what an unknown unit is, and which members of a space it may be (identify), against all inputs",
            drawn_identify, compared_identify};
}

} // namespace discern::claims
