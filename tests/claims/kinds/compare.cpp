// `compare A B --on UNIT`: that one program is never farther from the exact result than the other, or inputs on which
// it is.
#include "claims/ask.hpp"
#include "claims/draw.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "claims/programs.hpp"
#include "claims/verdict.hpp"

#include "analysis/property/numbers.hpp"
#include "models/hex.hpp"
#include "models/stimulus/stimulus.hpp"

#include <array>
#include <cmath>

namespace discern::claims {

namespace {

using Texts = std::vector<std::string>;

std::string one_of(Random& random, const Texts& texts) { return any_of(random, texts); }

/// Elements in the unit's format: some that most programs use, and odd ones.
std::string words_of(Random& random, const std::string& x, const std::string& word) {
    static const Texts modes(rounding_names.begin(), rounding_names.end());
    const std::string mode = one_of(random, modes);
    return one_of(random, {word, word, word, word, "word(" + x + ")", "word." + mode + "(" + x + ")",
                           "word(" + x + " * 2) ", "word(" + word + " - " + x + ")", "word(" + x + " / 2)"});
}

std::string sum_of(Random& random, int depth) {
    const std::string a = one_of(random, {"a1", "a1", "a2"});
    const std::string x = words_of(random, "a", a);
    const std::string b = one_of(random, {"b1", "b1", "b2"});
    const std::string y = words_of(random, "b", b);
    const std::string c = depth == 0 ? one_of(random, {"c", "c", "0"}) : sum_of(random, depth - 1);
    const int way = random.below(7);
    if (way < 3) return "mma(" + x + ", " + y + ", " + c + ")";
    if (way == 3) return "(mma(" + x + ", " + y + ", 0) + " + c + ")";
    if (way == 4) return "(" + c + " - mma(" + x + ", " + y + ", 0))";
    if (way == 5) return "(mma(" + x + ", " + y + ", 0) / 2 + " + c + ")";
    return one_of(random, {"mma(a1, b1, c)", "mma(word(a), word(b), c)", "(c + mma(a1, b1, 0))", "c"});
}

/// A program, or the name of one.
std::string draw_program(Random& random) {
    if (random.one_in(3))
        return one_of(random, {"one-word", "markidis", "ootomo-yokota", "ootomo-yokota-4", "two-words", "kahan",
                               "promote-128", "mma(word(a), word(b), c)", "c + mma(word(a), word(b), 0)"});
    const std::string second = one_of(random, {"(a - a1)", "(a - a1) * 2"});
    std::string text = "a1 = word(a); a2 = word(" + second + "); b1 = word(b); b2 = word(b - b1); ";
    if (random.one_in(4)) {
        const std::string from = one_of(random, {"c", "mma(a1, b1, 0) - mma(a1, b1, 0) + c"});
        const std::string piece = one_of(random, {"", "1", "2"});
        const std::string step =
            one_of(random, {"s + mma(a1, b1, 0)", "mma(a1, b1, s)", "mma(a1, b1, 0) + s", "s - mma(a1, b1, 0)"});
        text += "s = " + from + "; each " + piece + " { s = " + step + "; } s";
        return text;
    }
    const int depth = random.below(3);
    return text + sum_of(random, depth);
}

/// The program with a small difference, which may be none.
std::string varied(Random& random, const std::string& text) {
    static const std::vector<std::pair<std::string, std::string>> changes = {
        {"word(", "word.rz("},
        {"word(", "word.ru("},
        {"a2", "a1"},
        {"b2", "b1"},
        {" + c", " - c"},
        {", c)", ", 0)"},
        {", 0)", ", c)"},
        {"each 2", "each 1"},
        {"- b1", "+ b1"},
        {" / 2", " * 1"},
        {"mma(a1, b1, 0) + s", "s + mma(a1, b1, 0)"},
        {"c + mma(word(a), word(b), 0)", "mma(word(a), word(b), c)"}};
    for (int tries = 0; tries < 20; ++tries) {
        const auto& [from, to] = any_of(random, changes);
        const std::size_t at = text.find(from);
        if (at != std::string::npos) return std::string(text).replace(at, from.size(), to);
    }
    return text;
}

FormatId floating(Random& random, int widest, bool with_nan) {
    for (;;) {
        const FormatId id = draw_format(random, widest, false, random.one_in(2));
        if (!with_nan || format(id).has_nan()) return id;
    }
}

std::string name(FormatId id) { return std::string(format(id).name); }

Case drawn_compare(Random& random) {
    Case asked;
    for (;;) {
        Size size;
        size.most_bits = 16;
        size.scales = size.fixed_point = false;
        size.needs_c = true;
        const Unit unit = draw_unit(random, size);
        if (unit.K > 2) continue;
        const auto bits = static_cast<std::size_t>(unit.K);
        asked.units = {{unit, ""}};
        const bool own = random.one_in(3);
        const FormatId a = own ? unit.a : floating(random, bits == 1 ? 6 : 5, false),
                       b = own ? unit.b : floating(random, bits == 1 ? 6 : 5, false),
                       c = random.one_in(2) ? *unit.c : floating(random, 7, false);
        asked.texts["operands"] = name(a) + "," + name(b) + "," + name(c);
        asked.texts["arithmetic"] = name(random.one_in(2) ? unit.d : floating(random, 9, true));
        asked.texts["length"] = std::to_string(random.one_in(4) ? unit.K + 1 : unit.K);
        asked.texts["A"] = draw_program(random);
        asked.texts["B"] = random.one_in(2) ? varied(random, asked.texts["A"]) : draw_program(random);
        if (random.one_in(4)) asked.options.push_back("--seed " + std::to_string(random.below(1000)));
        return asked;
    }
}

ProgramSetting setting_of(const Case& asked) {
    const std::string& all = asked.texts.at("operands");
    const std::size_t first = all.find(','), second = all.find(',', first + 1);
    return {asked.units.front().unit,
            require_format(all.substr(0, first), "a"),
            require_format(all.substr(first + 1, second - first - 1), "b"),
            require_format(all.substr(second + 1), "c"),
            require_format(asked.texts.at("arithmetic"), "arithmetic"),
            std::stoul(asked.texts.at("length"))};
}

/// What is wrong with the answer of one direction, over all inputs that are finite, or with its vector.
std::string wrong_answer(const nlohmann::json& said, std::size_t which, const std::array<ProgramOracle, 2>& programs,
                         const ProgramSetting& setting, const Unit& shape) {
    const Distance distance(setting);
    if (said.at("verdict") == "refuted") {
        const InputBuffer x = inputs_of(shape, said.at("vector"));
        const std::array results = {programs[0](x.inputs()), programs[1](x.inputs())};
        if (!distance.is_nearer(x.inputs(), results[1 - which], results[which]))
            return "refuted by inputs on which it is not farther: " + said.at("vector").dump();
        for (const std::size_t i : {0, 1}) {
            const Format& d = format(results[i].format);
            const auto bits = parse_pattern(d, said.at("vector").at("d").at(i).get<std::string>());
            if (!bits || (results[i].number.is_nan() ? !property::is_nan(d, *bits)
                                                     : exact::write(d, results[i].number) != *bits))
                return "shown with results that are not those of the programs: " + said.at("vector").dump();
        }
    }
    if (said.at("verdict") != "proved") return "";
    std::string wrong;
    AllInputs(shape, 13).for_each([&](const Inputs& x) {
        bool finite = property::is_finite(format(setting.c), x.c);
        for (std::size_t k = 0; k < x.a.size(); ++k)
            finite = finite && property::is_finite(format(setting.a), x.a[k]) &&
                     property::is_finite(format(setting.b), x.b[k]);
        if (!finite) return true;
        const ProgramOracle::Result own = programs[which](x), other = programs[1 - which](x);
        if (distance.is_nearer(x, other, own))
            wrong = "said to be never farther, by " + said.at("by").get<std::string>() + "; but it is for " +
                    as_options(shape, x);
        return wrong.empty();
    });
    return wrong;
}

Compared compare_programs(const Case& asked) {
    std::vector<std::string> words = {"compare",
                                      asked.texts.at("A"),
                                      asked.texts.at("B"),
                                      "--on",
                                      asked.units.front().text(),
                                      "--operands",
                                      asked.texts.at("operands"),
                                      "--arithmetic",
                                      asked.texts.at("arithmetic"),
                                      "--length",
                                      asked.texts.at("length"),
                                      "-n",
                                      "1",
                                      "--threads",
                                      "1",
                                      "--timeout",
                                      "1.5",
                                      "--json"};
    append(words, asked.options);
    Compared result;
    result.command = command_line(words);
    const Answer printed = ask(words);
    if (printed.status == 2) return result; // a constant that is no number of the format, a result that has no NaN, …
    const nlohmann::json said = printed.json();
    const ProgramSetting setting = setting_of(asked);
    const compare::Program texts[] = {compare::resolve_program(asked.texts.at("A")),
                                      compare::resolve_program(asked.texts.at("B"))};
    const std::array programs = {ProgramOracle(texts[0], setting), ProgramOracle(texts[1], setting)};
    const Unit shape = unit_of_shape({.a = setting.a,
                                      .b = setting.b,
                                      .c = setting.c,
                                      .d = require_format(said.at("d").get<std::string>(), "d"),
                                      .scale = {},
                                      .K = static_cast<int>(setting.length)});
    for (const std::size_t which : {0, 1}) {
        const auto& answer = said.at("algorithms").at(which).at("never_farther");
        if (answer.at("verdict") == "unknown") continue;
        ++result.claims;
        const std::string wrong = wrong_answer(answer, which, programs, setting, shape);
        if (!wrong.empty()) result.wrong = (which == 0 ? "A: " : "B: ") + wrong;
    }
    return result;
}

std::vector<Case> simpler(const Case& asked) {
    std::vector<Case> list;
    for (const char* which : {"A", "B"})
        for (const char* text : {"mma(word(a), word(b), c)", "c + mma(word(a), word(b), 0)", "c"}) {
            if (asked.texts.at(which).size() <= std::string(text).size()) continue;
            list.push_back(asked);
            list.back().texts[which] = text;
        }
    return list;
}

} // namespace

Kind compared_programs() {
    return {"compare", "a program is never farther than another from the exact result (compare), against exact numbers",
            drawn_compare, compare_programs, simpler};
}

} // namespace discern::claims
