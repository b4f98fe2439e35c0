// The term of one unit, on which every proof about the unit rests, against the models.
//
// No solver is asked and no second unit is needed, so that many large units are compared: with up to twelve elements,
// of formats that units have, and units of the catalogue with other parameters. They have too many inputs to compare
// all. Those that are drawn aim at what decides how a term is built: sums as large as can be, cancellations, ties,
// zeros.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"

#include "encodings/encode.hpp"
#include "encodings/graph/term_eval.hpp"
#include "models/hex.hpp"

namespace discern::claims {

namespace {

constexpr int few = 9, many = 12;       ///< 2^9 inputs of a unit, or 2^12
constexpr std::uint64_t by_oracle = 16; ///< one of so many is given to the exact oracle, too

Case drawn_term(Random& random) {
    Case asked;
    Size size;
    size.large = !random.one_in(4);
    asked.units = {{draw_unit(random, size), ""}};
    if (random.one_in(asked.units.front().unit.K <= 2 ? 3 : 20)) asked.texts["inputs"] = "many";
    return asked;
}

/// Beside the simpler units of all kinds, those of one element less.
std::vector<Case> fewer_elements(const Case& asked) {
    std::vector<Case> list;
    const Unit& unit = asked.units.front().unit;
    for (const int L : {1, 2, unit.L / 2, unit.L - 1}) {
        if (L < 1 || L >= unit.L) continue;
        Case simpler = asked;
        Unit& smaller = simpler.units.front().unit;
        smaller.K = unit.blocks() * L;
        smaller.L = L;
        if (smaller.scale && unit.scale->block >= unit.L) smaller.scale->block = L;
        if (is_valid(smaller)) list.push_back(std::move(simpler));
    }
    return list;
}

Compared compared_term(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    Compared result;
    result.claims = 1;
    Terms terms;
    const InputTerms variables = input_variables(terms, unit);
    const Term d = encode(terms, unit, variables);
    TermEvaluator term(terms, {d});
    const Evaluator evaluate(unit);
    std::uint64_t n = 0;
    AllInputs(unit, asked.texts.contains("inputs") ? many : few).for_each([&](const Inputs& x) {
        set_inputs(term, variables, x);
        term.run();
        const std::uint64_t by_term = term.low(d), by_model = evaluate(x);
        const auto says = [&](std::string_view whose, std::uint64_t bits) {
            return std::string(whose) + " gives " + to_hex(format(unit.d), bits);
        };
        if (!same_result(unit, by_model, by_term))
            result.wrong = says("the term", by_term) + " where the unit gives " + result_text(unit, x);
        else if (n++ % by_oracle == 0 && !same_result(unit, by_model, evaluate_exactly(unit, x)))
            result.wrong = says("the evaluator", by_model) + " where the oracle gives " + result_text(unit, x);
        if (result.wrong.empty()) return true;
        std::vector<std::string> words = {"eval", asked.units.front().text(), "--oracle"};
        append(words, {as_options(unit, x)});
        result.command = command_line(words);
        return false;
    });
    return result;
}

} // namespace

Kind term_of_unit() {
    return {"term", "the term of a unit gives what the unit does (the encoder), against the models on aimed inputs",
            drawn_term, compared_term, fewer_elements};
}

} // namespace discern::claims
