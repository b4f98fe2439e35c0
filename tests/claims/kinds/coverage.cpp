// `coverage UNIT FILE --missing`: which events of the tree the vectors of a file hit, a vector for each of the others,
// or that no inputs hit it.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/events.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/verdict.hpp"

#include "models/format.hpp"
#include "models/hex.hpp"
#include "models/unit/tree_shape.hpp"

#include <map>
#include <sstream>

namespace discern::claims {

namespace {

constexpr int most_covered_bits = 11;

Case drawn_coverage(Random& random) {
    Case asked;
    Size size;
    size.most_bits = random.one_in(4) ? most_covered_bits : most_covered_bits - 3;
    size.special_values = random.one_in(3);
    Unit unit;
    do {
        size.scales = random.one_in(3);
        unit = draw_unit(random, size);
    } while (input_bits(unit) > 14 || has_scaled_sums(unit.tree)); // scales come on top; coverage refuses scaled
    asked.units = {{unit, ""}};
    asked.texts["vectors"] = std::to_string(random.one_in(3) ? 1 : random.between(1, 40));
    asked.texts["seed"] = std::to_string(random.below(1000));
    return asked;
}

Compared compared_coverage(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    const std::string text = asked.units.front().text();
    const std::vector<std::string> generate = {
        "generate", text, "-n", asked.texts.at("vectors"), "--seed", asked.texts.at("seed")};
    const std::vector<std::string> words = {"coverage", text, "-", "--missing", "--json", "--timeout", "3"};
    Compared result;
    result.command = command_line(generate) + " | " + command_line(words);
    const std::string file = ask(generate).out;
    const nlohmann::json said = ask(words, file).json();

    std::map<std::string, std::uint64_t> counts;
    std::uint64_t vectors = 0;
    std::istringstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        const nlohmann::json vector = nlohmann::json::parse(line);
        if (!vector.contains("a")) continue; // the header
        ++vectors;
        for (const std::string& event : events_of(unit, inputs_of(unit, vector).inputs())) ++counts[event];
    }
    std::map<std::string, InputBuffer> possible; // by the first inputs
    const AllInputs inputs(unit, 16);
    inputs.for_each([&](const Inputs& x) {
        for (const std::string& event : events_of(unit, x))
            if (!possible.contains(event)) possible.emplace(event, copy_of(x));
        return true;
    });
    const auto wrong = [&](const std::string& what) {
        if (result.wrong.empty()) result.wrong = what;
    };
    if (said.at("vectors") != vectors) wrong("another number of vectors than there are");
    std::set<std::string> listed;
    for (const auto& bin : said.at("bins")) {
        const std::string name = bin.at("bin"), answer = bin.at("answer");
        listed.insert(name);
        if (answer == "open") continue;
        ++result.claims;
        const std::uint64_t count = bin.at("count");
        if (count != counts[name])
            wrong(name + " is said to be hit by " + std::to_string(count) + " vectors of the file, and is by " +
                  std::to_string(counts[name]));
        if ((answer == "hit") != (count > 0)) wrong(name + " is said to be " + answer);
        if (answer == "impossible" && possible.contains(name))
            wrong(name + " is said to be impossible, and is hit by " + as_options(unit, possible.at(name).inputs()));
        if (answer == "a vector") {
            const InputBuffer vector = inputs_of(unit, bin.at("vector"));
            if (!events_of(unit, vector.inputs()).contains(name))
                wrong(name + " is not hit by the vector that is shown, " + as_options(unit, vector.inputs()));
            const std::string d = bin.at("vector").at("d");
            if (d != to_hex(format(unit.d), evaluate_exactly(unit, vector.inputs())))
                wrong("the vector for " + name + " has another result than " + result_text(unit, vector.inputs()));
        }
    }
    // What is no bin cannot happen.
    for (const auto& [name, buffer] : possible)
        if (!listed.contains(name)) wrong(name + " is no bin, and is hit by " + as_options(unit, buffer.inputs()));
    return result;
}

std::vector<Case> simpler_coverage(const Case& asked) {
    std::vector<Case> list;
    if (asked.texts.at("vectors") == "1") return list;
    list.push_back(asked);
    list.back().texts["vectors"] = "1";
    return list;
}

} // namespace

Kind covered_events() {
    return {"coverage",
            "which events of a unit's tree vectors hit, and that others cannot be hit (coverage --missing), against "
            "all inputs",
            drawn_coverage, compared_coverage, simpler_coverage};
}

} // namespace discern::claims
