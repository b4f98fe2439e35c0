// `identify model:UNIT --space SPACE`: which members of the space the unit may be.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/kinds.hpp"
#include "claims/members.hpp"

#include "models/notation.hpp"

#include <algorithm>

namespace discern::claims {

namespace {

Case draw(Random& random) {
    Case asked;
    const WrittenUnit space = draw_space(random, random.one_in(3) ? 18 : 14, 64);
    const std::vector<Member> units = members_of(space.text());
    // The last unit is what the target is: mostly a member.
    const Unit target = random.one_in(8) ? draw_variant(random, space.unit) : any_of(random, units).unit;
    asked.units = {space, {target, ""}};
    return asked;
}

Compared compare(const Case& asked) {
    const std::string space = asked.units[0].text();
    const Unit& target = asked.units[1].unit;
    Compared result;
    std::vector<std::string> words = {
        "identify", "model:" + asked.units[1].text(), "--space", space, "--json", "--timeout", "4", "--validate",
        "2000"};
    append(words, asked.options);
    result.command = command_line(words);
    const std::vector<Member> units = members_of(space);
    const nlohmann::json said = ask(words).json();
    const std::string verdict = said.at("verdict");
    const AllInputs inputs(target, 16, std::vector{target});
    const auto agrees = [&](const Unit& unit) { return !first_difference(unit, target, inputs); };
    if (verdict == "unexplained") {
        result.claims = 1;
        for (const Member& member : units)
            if (inputs.complete() && agrees(member.unit))
                result.wrong = "said to be unexplained; but " + member.text + " gives the same for all inputs";
        return result;
    }
    if (verdict != "unique" && verdict != "class") return result;
    result.claims = 1;
    if (!agrees(parse_unit(said.at("tree").get<std::string>()))) {
        result.wrong = "said to be " + said.at("tree").get<std::string>() + ", which gives something else";
        return result;
    }
    if (!said.at("features").contains("member")) return result;
    const auto& features = said.at("features").at("member");
    std::vector<std::string> named = {features.at("value")};
    for (const auto& text : features.at("also")) named.push_back(text);
    const MemberIndex index(units);
    std::vector<bool> is_named(units.size());
    for (const std::string& text : named) is_named[index(text)] = true;
    result.claims = static_cast<int>(units.size());
    for (std::size_t i = 0; i < units.size(); ++i) {
        const bool is_same = agrees(units[i].unit);
        if (is_named[i] && !is_same)
            result.wrong = "said to be of the unit's class; but it gives something else: " + units[i].text;
        if (!is_named[i] && is_same && inputs.complete())
            result.wrong = "left out of the unit's class; but it gives the same for all inputs: " + units[i].text;
    }
    return result;
}

} // namespace

Kind identified_units() {
    return {"identify",
            "what an unknown unit is, and which members of a space it may be (identify), against all inputs", draw,
            compare};
}

} // namespace discern::claims
