// What the encoder claims of every number that it builds (encodings/number/facts.hpp), which its rules of folding rest
// on. A false claim hardly ever changes a result, so that kinds which compare results would have to draw the one unit
// and the one vector that show it.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/kinds.hpp"
#include "claims/members.hpp"

#include "encodings/fact_walker.hpp"

namespace discern::claims {

namespace {

/// A unit alone, whose numbers then have all facts that it can have, or a space of units.
Case drawn_facts(Random& random) {
    Case asked;
    Size size;
    size.most_bits = any_of(random, small_and_large);
    size.large = random.one_in(2);
    if (random.one_in(2)) {
        asked.units = {{draw_unit(random, size), ""}};
    } else {
        asked.units = {draw_space(random, size.most_bits, 16)};
    }
    return asked;
}

Compared compared_facts(const Case& asked) {
    Compared result;
    const std::string space = asked.units[0].text();
    result.command = command_line({"suite", "--space", space});
    for (const std::vector<Unit>& units : by_skeleton(members_of(space))) {
        const auto family = parametric::family_of(units);
        if (!family) continue;
        tests::FactWalker walker(*family);
        const AllInputs inputs(units.front(), units.size() > 1 ? 6 : 9, units);
        for (std::size_t i = 0; i < units.size() && result.wrong.empty(); ++i) {
            ++result.claims;
            inputs.for_each([&](const Inputs& x) {
                const auto wrong = walker(i, x);
                if (!wrong) return true;
                result.wrong = "of " + WrittenUnit{units[i], ""}.text() + " the encoder claims a false " + *wrong +
                               ", for " + as_options(units[i], x);
                return false;
            });
        }
    }
    return result;
}

} // namespace

Kind claimed_facts() {
    return {"facts", "what the encoder claims of the numbers of units and spaces, against their values", drawn_facts,
            compared_facts};
}

} // namespace discern::claims
