#include "classes.hpp"

#include "verdict.hpp"

namespace discern::claims {

void compare_classes(const nlohmann::json& said, const std::vector<Member>& units, const AllInputs& inputs,
                     Compared& result) {
    const MemberIndex index(units);
    std::vector<std::vector<std::size_t>> classes;
    std::vector<bool> seen(units.size());
    for (const auto& one : said.at("classes")) {
        classes.emplace_back();
        for (const auto& text : one) {
            classes.back().push_back(index(text));
            seen[classes.back().back()] = true;
        }
    }
    const Results results(units, inputs);
    for (std::size_t c = 0; c < classes.size() && result.wrong.empty(); ++c)
        result.wrong = wrong_ground(said.at("grounds").at(c), classes[c].size() > 1);
    for (const auto& pair : said.at("pairs")) {
        const bool same = pair.at("relation") == "same tree" || pair.at("relation") == "proved";
        const auto unit = [&](int i) {
            return units[index(said.at("units").at(pair.at("units").at(i).get<std::size_t>()))].unit;
        };
        if (result.wrong.empty() && same) result.wrong = wrong_ground(pair.at("ground"), unit(0), unit(1));
        if (result.wrong.empty() && !same && pair.contains("ground"))
            result.wrong = "a ground of nothing: " + pair.dump();
    }
    if (!result.wrong.empty()) return;
    for (const auto& one : classes) {
        result.claims += static_cast<int>(one.size()) - 1;
        const std::string wrong = results.difference_within(one);
        if (!wrong.empty()) {
            result.wrong = "said to be of one class; but " + wrong;
            return;
        }
    }
    for (const bool is_there : seen)
        if (!is_there) result.wrong = "a member of the space is in no class";
    // Two members are said to differ by a vector, which must show it.
    std::vector<InputBuffer> vectors;
    for (const auto& vector : said.at("vectors")) vectors.push_back(inputs_of(units.front().unit, vector));
    for (const auto& pair : said.at("pairs")) {
        if (pair.at("relation") != "different") continue;
        ++result.claims;
        const Member& one = units[index(said.at("units").at(pair.at("units").at(0).get<std::size_t>()))];
        const Member& other = units[index(said.at("units").at(pair.at("units").at(1).get<std::size_t>()))];
        const Inputs x = vectors.at(pair.at("vector")).inputs();
        const std::uint64_t d1 = evaluate_exactly(one.unit, x);
        const std::uint64_t d2 = evaluate_exactly(other.unit, x);
        if (same_result(one.unit, d1, d2) || same_result(other.unit, d1, d2))
            result.wrong = "said to differ: " + one.text + " and " + other.text + "; but both give " +
                           result_text(one.unit, x) + " for " + as_options(one.unit, x);
    }
}

} // namespace discern::claims
