#include "told.hpp"

#include "models/hex.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

namespace discern::cli {

namespace {

using Readings = std::vector<std::size_t>;

/// "reading 1", "readings 1, 2 and 4", counted from 1.
std::string numbered(const Readings& readings) {
    std::string text = readings.size() == 1 ? "reading" : "readings";
    for (std::size_t i = 0; i < readings.size(); ++i)
        text += sentence(i == 0 ? " " : i + 1 == readings.size() ? " and " : ", ", readings[i] + 1);
    return text;
}

/// The readings that give that answer, or that do not.
Readings readings_of(const OpenQuestion& question, std::size_t vector, std::uint64_t answer, bool give) {
    Readings readings;
    for (std::size_t i = 0; i < question.readings.size(); ++i)
        if (gives(question, i, vector, answer) == give) readings.push_back(i);
    return readings;
}

/// The vector with what was observed.
Vector observed(const Told& told, std::size_t i) {
    Vector vector = told.question.vectors[i];
    if (told.answers[i]) vector.d.assign(1, *told.answers[i]);
    vector.error = told.errors[i];
    return vector;
}

/// What one answer says of the readings.
std::string said_by(const OpenQuestion& question, std::size_t vector, std::uint64_t answer) {
    const std::string pattern = to_hex(format(question.shape.d), answer);
    const Readings others = readings_of(question, vector, answer, false);
    if (others.empty()) return fmt::format("{} is what all readings give", pattern);
    const Readings same = readings_of(question, vector, answer, true);
    if (same.empty()) return fmt::format("{} is what no reading gives", pattern);
    return fmt::format("{} is what {} {}, and not {}", pattern, numbered(same), same.size() == 1 ? "gives" : "give",
                       numbered(others));
}

std::string conclusion(const Told& told, const Colours& colours) {
    const OpenQuestion& question = told.question;
    const auto meaning = [&](std::size_t reading) { return std::string(question.point->readings[reading].meaning); };
    const Readings& fitting = told.judgement.fitting;
    switch (told.judgement.state) {
    case State::settled: {
        std::string text =
            fmt::format("{}: {}: {}", colours.good("settled"), question.point->point, meaning(fitting.front()));
        for (std::size_t i = 1; i < fitting.size(); ++i) text += "; or: " + meaning(fitting[i]);
        return text + (fitting.size() > 1 ? " (no vector of the question tells these apart)" : "");
    }
    case State::none: return colours.bad("none of these readings") + " gives all the answers: the unit is another one";
    case State::open: return colours.open("open") + ": what is left is " + numbered(fitting);
    case State::unasked: return colours.open("open") + ": no vector was answered";
    case State::no_vector: return "nothing to ask: no vector is known that tells these readings apart";
    }
    return "";
}

} // namespace

std::string only_reason(const Told& told) {
    std::string reason;
    for (std::size_t i = 0; i < told.errors.size(); ++i) {
        if (told.answers[i] || told.errors[i].empty()) return "";
        std::string why = told.errors[i];
        const std::string before = "unavailable: " + told.target + ": ";
        if (why.starts_with(before)) why = why.substr(before.size());
        if (i > 0 && why != reason) return "";
        reason = why;
    }
    return reason;
}

void print_told(std::ostream& out, const Told& told, const Colours& colours) {
    const OpenQuestion& question = told.question;
    const OpenPoint& point = *question.point;
    out << fmt::format("{}: {}, of {}\n", colours.strong(point.name), point.point, point.unit);
    if (!told.target.empty()) out << fmt::format("  asked: {}\n", told.target);
    for (std::size_t i = 0; i < point.readings.size(); ++i) {
        const Reading& reading = point.readings[i];
        const bool is_override = reading.unit.starts_with('{');
        out << fmt::format("  {}. {}{}\n", i + 1, reading.meaning,
                           is_override ? fmt::format("  {}", reading.unit) : std::string());
    }
    const std::string reason = only_reason(told);
    if (!reason.empty()) out << "  not answered: " << reason << '\n';
    for (std::size_t i = 0; i < question.vectors.size() && reason.empty(); ++i) {
        if (!told.answers[i] && told.errors[i].empty()) continue;
        out << "  " << to_json(question.shape, observed(told, i)) << '\n';
        out << "    " << (told.answers[i] ? said_by(question, i, *told.answers[i]) : "not answered: " + told.errors[i])
            << '\n';
    }
    out << "  " << conclusion(told, colours) << "\n\n";
}

void print_control(std::ostream& out, const Control& control, const Colours& colours) {
    const std::string vectors = counted(control.checked, "random vector");
    if (control.mismatches == 0)
        out << fmt::format("control: {}, all of them as {} gives them\n\n", vectors, control.unit);
    else
        out << fmt::format("{}: {}, {} of them not as {} gives them: what is settled may mean little\n\n",
                           colours.bad("control"), vectors, control.mismatches, control.unit);
}

Json json_of(const Control& control) {
    return {{"target", control.target},
            {"unit", control.unit},
            {"checked", control.checked},
            {"mismatches", control.mismatches}};
}

Json json_of(const Told& told) {
    const OpenQuestion& question = told.question;
    Json readings = Json::array(), vectors = Json::array();
    for (std::size_t i = 0; i < question.readings.size(); ++i) {
        Json results = Json::array();
        for (const std::uint64_t d : question.results[i]) results.push_back(to_hex(format(question.shape.d), d));
        const auto& refuted_by = told.judgement.refuted_by[i];
        readings.push_back({{"unit", unit_text(*question.point, i)},
                            {"meaning", question.point->readings[i].meaning},
                            {"gives", results},
                            {"refuted_by", refuted_by ? Json(*refuted_by + 1) : Json(nullptr)}});
    }
    for (std::size_t i = 0; i < question.vectors.size(); ++i)
        vectors.push_back(json_of(question.shape, observed(told, i)));
    return {{"name", question.point->name},
            {"point", question.point->point},
            {"unit", question.point->unit},
            {"state", name(told.judgement.state)},
            {"fits", from_one(told.judgement.fitting)},
            {"readings", readings},
            {"header", Json::parse(to_json(told.header))},
            {"vectors", vectors}};
}

} // namespace discern::cli
