// `suite --space SPACE`: which members of a space are the same, and vectors that tell the others apart.
#include "claims/classes.hpp"
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/kinds.hpp"
#include "claims/members.hpp"

namespace discern::claims {

namespace {

Case drawn_classes(Random& random) {
    Case asked;
    asked.units = {draw_space(random, any_of(random, small_and_large), 24)};
    // Without random vectors, what differs only on a few inputs is left to terms and a solver.
    if (!random.one_in(3)) asked.options.push_back("--solver sat");
    return asked;
}

Compared compared_classes(const Case& asked) {
    const std::string space = asked.units[0].text();
    const std::vector<Member> units = members_of(space);
    Compared result;
    std::vector<std::string> words = {"suite", "--space", space, "--json", "--timeout", "2", "--question", "0.5"};
    append(words, asked.options);
    result.command = command_line(words);
    if (units.size() < 2) return result; // a space that was made smaller
    const nlohmann::json said = ask(words).json();
    compare_classes(said, units, AllInputs(units.front().unit, 16), result);
    return result;
}

} // namespace

Kind classes_of_spaces() {
    return {"classes", "members of a space are the same, or differ on a vector (suite --space), against all inputs",
            drawn_classes, compared_classes};
}

} // namespace discern::claims
