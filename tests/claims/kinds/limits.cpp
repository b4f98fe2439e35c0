// Limits of inputs: what a question is about is what they leave, and a question about nothing is refused.
#include "claims/limits.hpp"
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/kinds.hpp"
#include "claims/verdict.hpp"

#include "models/vectors.hpp"
#include "solver/decide/portfolio.hpp"

#include <sstream>

namespace discern::claims {

namespace {

constexpr int widest = 16; ///< bits of an operand, all of whose patterns are tried

bool is_narrow(const Unit& unit) { return !unit.c || format(*unit.c).width <= widest; }

Case drawn_limits(Random& random) {
    Case asked;
    Size size;
    size.most_bits = 16;
    Unit unit = draw_unit(random, size);
    while (!is_narrow(unit)) unit = draw_unit(random, size);
    const std::string command = any_of(
        random, std::vector<std::string>{"prove", "prove", "prove", "synth", "synth", "same-bits", "smt2", "generate"});
    asked.texts["command"] = command;
    asked.units = {{unit, ""}, {random.one_in(8) ? unit : draw_variant(random, unit), ""}};
    asked.options = draw_limits(random, unit, command != "generate");
    if ((command == "prove" || command == "synth") && random.one_in(2)) asked.options.push_back("--solver sat");
    return asked;
}

/// Every vector is within the limits.
std::string wrong_vectors(const Unit& unit, const ReadLimits& limits, const std::string& file) {
    std::istringstream in(file);
    VectorReader reader(in, "what generate printed");
    int count = 0;
    for (Vector v; reader.next(v); ++count)
        if (!limits.pass(unit, v.inputs())) return "a vector is beyond the limits: " + to_json(shape_of(unit), v);
    return count == 40 ? "" : "40 vectors were asked for, and there are " + std::to_string(count);
}

/// What the solver makes of the question alone, which vectors at random do not hide.
std::string wrong_circuit(const Unit& one, const Unit& other, const std::vector<std::string>& options,
                          const AllInputs& inputs, const ReadLimits& limits) {
    InputLimits own;
    for (const std::string& option : options) {
        std::istringstream words(option);
        std::string name, text;
        words >> name >> text;
        if (name == "--range") own.ranges = parse_ranges(text);
        if (name == "--finite") own.finite = true;
        if (name == "--no-subnormals") own.no_subnormals = true;
        std::istringstream items(name == "--values" ? text : "");
        for (std::string item; std::getline(items, item, ',');) {
            const std::size_t colon = item.find(':'), dots = item.find("..");
            own.numbers.push_back({operand_from_name(item.substr(0, colon)).value(), std::stod(item.substr(colon + 1)),
                                   std::stod(item.substr(dots + 2))});
        }
    }
    const SpaceQuestion question = as_spaces(Question{one, other, own});
    const Circuit circuit(question);
    const SolverResult result = solve_with(question, circuit, require_backend("sat"), 1, Limit::after(3));
    const auto pass = [&](const Inputs& x) { return limits.pass(one, x); };
    if (result.outcome != discern::Outcome::unsat) return "";
    const auto x = first_difference(one, other, inputs, pass);
    return x ? "the solver finds no difference; but there is one on " + as_options(one, x->inputs()) : "";
}

Compared compared_limits(const Case& asked) {
    const Unit &one = asked.units[0].unit, &other = asked.units[1].unit;
    const std::string& command = asked.texts.at("command");
    const ReadLimits limits(asked.options);
    std::vector<std::string> words = {command, asked.units[0].text()};
    if (command != "generate") words.push_back(asked.units[1].text());
    if (command == "prove" || command == "synth" || command == "same-bits")
        words.insert(words.end(), {"--json", "--timeout", "3"});
    if (command == "synth") words.insert(words.end(), {"-n", "3"});
    if (command == "generate" || command == "same-bits") words.insert(words.end(), {"-n", "40"});
    append(words, asked.options);
    Compared result;
    result.command = command_line(words);
    const std::string empty = limits.empty_operand(one);
    const auto pass = [&](const Inputs& x) { return limits.pass(one, x); };
    const AllInputs inputs(one, 16, std::vector{other});
    if (empty.empty() && (command == "prove" || command == "synth")) {
        result = compare_verdict(words, one, other, inputs, pass);
        if (result.wrong.empty()) result.wrong = wrong_circuit(one, other, asked.options, inputs, limits);
        return result;
    }
    const Answer answer = ask(words);
    result.claims = 1;
    const bool says_so = answer.status == 2 && answer.err.find("no input is left") != std::string::npos;
    if (!empty.empty()) {
        if (!says_so)
            result.wrong = "no " + empty + " is within the limits, and the answer is: " + answer.out + answer.err;
        return result;
    }
    if (answer.status == 2) result.wrong = "there are inputs within the limits; but it says: " + answer.err;
    if (!result.wrong.empty() || command == "smt2") return result;
    if (command == "generate") {
        result.wrong = wrong_vectors(one, limits, answer.out);
        return result;
    }
    const nlohmann::json said = answer.json();
    if (said.at("verdict") == "same")
        if (const auto x = first_difference(one, other, inputs, pass))
            result.wrong = "said to be the same; but they differ on " + as_options(one, x->inputs());
    if (said.at("verdict") == "different" && !limits.pass(one, inputs_of(one, said.at("vector")).inputs()))
        result.wrong = "said to differ on inputs that the limits exclude: " + said.at("vector").dump();
    return result;
}

} // namespace

Kind limited_inputs() {
    return {"limits", "what holds of inputs within limits (prove, synth, generate, …), against all that are, or none",
            drawn_limits, compared_limits};
}

} // namespace discern::claims
