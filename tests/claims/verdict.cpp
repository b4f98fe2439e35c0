#include "verdict.hpp"

#include "ask.hpp"

#include "models/hex.hpp"
#include "models/notation.hpp"

#include <algorithm>
#include <regex>
#include <stdexcept>

namespace discern::claims {

namespace {

std::uint64_t pattern_of(const Format& f, const nlohmann::json& text) {
    const auto pattern = parse_pattern(f, text.get<std::string>());
    if (!pattern) throw std::runtime_error("a vector with a pattern that is none: " + text.dump());
    return *pattern;
}

std::vector<std::uint64_t> patterns_of(const Format& f, const nlohmann::json& list) {
    std::vector<std::uint64_t> patterns;
    for (const auto& text : list) patterns.push_back(pattern_of(f, text));
    return patterns;
}

/// What is wrong with a vector on which the two are said to differ.
std::string wrong_vector(const Unit& one, const Unit& other, const nlohmann::json& vector,
                         const std::function<bool(const Inputs&)>& passes) {
    const InputBuffer buffer = inputs_of(one, vector);
    const Inputs x = buffer.inputs();
    if (passes && !passes(x)) return "said to differ on inputs that the limits exclude";
    const std::uint64_t d1 = evaluate_exactly(one, x);
    const std::uint64_t d2 = evaluate_exactly(other, x);
    if (same_result(one, d1, d2) || same_result(other, d1, d2)) return "said to differ on inputs with the same result";
    if (vector.contains("d") && vector["d"].is_array() && vector["d"].size() == 2) {
        const Format& d = format(one.d);
        if (!same_result(one, d1, pattern_of(d, vector["d"][0])) ||
            !same_result(other, d2, pattern_of(d, vector["d"][1])))
            return "shown with results that are not these units'";
    }
    return "";
}

} // namespace

InputBuffer inputs_of(const Unit& unit, const nlohmann::json& vector) {
    InputBuffer x;
    x.a = patterns_of(format(unit.a), vector.at("a"));
    x.b = patterns_of(format(unit.b), vector.at("b"));
    if (unit.scale) {
        x.sa = patterns_of(format(unit.scale->format), vector.at("sa"));
        x.sb = patterns_of(format(unit.scale->format), vector.at("sb"));
    }
    if (unit.c) x.c = pattern_of(format(*unit.c), vector.at("c"));
    return x;
}

std::string wrong_ground(const nlohmann::json& ground, bool same) {
    static const std::regex words("structure|certificate|terms|solver|argument|theorem [a-z-]+");
    if (!same) return ground.is_null() ? "" : "nothing is proved, and it rests on " + ground.dump();
    if (!ground.is_string()) return "it is not said what the claim rests on: " + ground.dump();
    return std::regex_match(ground.get<std::string>(), words) ? "" : "no ground is called " + ground.dump();
}

std::string wrong_ground(const nlohmann::json& ground, const Unit& one, const Unit& other) {
    if (std::string wrong = wrong_ground(ground, true); !wrong.empty()) return wrong;
    if (ground == "structure" && canonical_text(one) != canonical_text(other))
        return "said to be one tree, which they are not";
    return "";
}

Compared compare_verdict(const std::vector<std::string>& words, const Unit& one, const Unit& other,
                         const AllInputs& inputs, const std::function<bool(const Inputs&)>& passes) {
    Compared result;
    result.command = command_line(words);
    const Answer answer = ask(words);
    const nlohmann::json said = answer.json();
    const std::string verdict = said.at("verdict");
    const int status = verdict == "different" ? 1 : verdict == "unknown" ? 3 : 0;
    if (answer.status != status) {
        result.wrong = "the verdict is '" + verdict + "' and the exit status " + std::to_string(answer.status);
        return result;
    }
    const bool same = verdict != "different" && verdict != "unknown";
    // A tree that is written out of a kernel need not be the line that stands here.
    result.wrong = wrong_ground(said.at("ground"), same);
    const bool checked = std::find(words.begin(), words.end(), "--checked") != words.end();
    if (same && checked && said.at("ground") != "certificate")
        result.wrong = "said to be the same without a certificate";
    if (!same && verdict == "unknown" && said.contains("missing") && said.at("missing") == "")
        result.wrong = "it is not said what is missing";
    if (verdict == "unknown" || !result.wrong.empty()) return result;
    result.claims = 1;
    if (verdict == "different") {
        if (said.at("vectors").empty()) result.wrong = "said to differ without a vector";
        for (const auto& vector : said.at("vectors"))
            if (result.wrong.empty()) {
                result.wrong = wrong_vector(one, other, vector, passes);
                if (!result.wrong.empty()) result.wrong += ": " + vector.dump();
            }
        return result;
    }
    if (const auto x = first_difference(one, other, inputs, passes)) {
        result.wrong = "said to be the same; but " + as_options(one, x->inputs()) + " gives " +
                       result_text(one, x->inputs()) + " and " + result_text(other, x->inputs());
    }
    return result;
}

} // namespace discern::claims
