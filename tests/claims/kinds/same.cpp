// `prove UNIT UNIT`: that two units are the same, or a vector on which they differ.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/verdict.hpp"

namespace discern::claims {

namespace {

Case drawn_same(Random& random) {
    Case asked;
    Size size;
    size.most_bits = random.one_in(3) ? 20 : 16;
    size.large = random.one_in(4);
    const Unit unit = draw_unit(random, size);
    asked.units = {{unit, ""}, {draw_variant(random, unit), ""}};
    if (random.one_in(2)) asked.options.push_back("--solver sat");
    if (random.one_in(4)) asked.options.push_back("--checked");
    return asked;
}

Compared compared_same(const Case& asked) {
    const Unit &one = asked.units[0].unit, &other = asked.units[1].unit;
    std::vector<std::string> words = {"prove",  asked.units[0].text(), asked.units[1].text(),
                                      "--json", "--timeout",           "3"};
    append(words, asked.options);
    return compare_verdict(words, one, other, AllInputs(one, 16, std::vector{other}));
}

} // namespace

Kind same_units() {
    return {"same", "two units are the same, or differ on a vector (prove), against all inputs", drawn_same,
            compared_same};
}

} // namespace discern::claims
