// The report as text and as JSON.
#include "report.hpp"

#include "cli/base/distance.hpp"
#include "cli/base/json.hpp"
#include "cli/files/one_vector.hpp"
#include "cli/measure/report.hpp"
#include "cli/options/values.hpp"
#include "models/vectors.hpp"

#include <fmt/format.h>

#include <cmath>

namespace discern::cli {

namespace {

using compare::NeverFarther;
using property::Verdict;

constexpr const char* letters[] = {"A", "B"};

std::string ulps(double error) { return std::isfinite(error) ? fmt::format("{:.4g} ulp", error) : "infinitely far"; }

void print_answer(const ComparisonReport& report, std::size_t which, const Colours& colours, std::ostream& out) {
    const NeverFarther& answer = report.answers[which];
    const std::string verdict = fmt::format("{:<8}", property::name(answer.verdict));
    out << fmt::format("{}  {} is never farther from the exact result than {}{}\n",
                       answer.verdict == Verdict::proved    ? colours.good(verdict)
                       : answer.verdict == Verdict::refuted ? colours.bad(verdict)
                                                            : colours.open(verdict),
                       letters[which], letters[1 - which],
                       answer.verdict == Verdict::proved ? "; by " + answer.by : "");
    if (!answer.vector) return;
    out << "    " << shown_inputs(report.setting.shape(report.d), *answer.vector) << '\n';
    for (std::size_t i = 0; i < 2; ++i)
        out << fmt::format("        {} gives {}, {} off\n", letters[i],
                           described(format(report.d), answer.vector->d[i]), ulps(answer.errors[i]));
}

Json as_json(const ComparisonReport& report, const NeverFarther& answer) {
    Json object = {{"verdict", property::name(answer.verdict)}, {"vector", nullptr}, {"errors", nullptr}};
    if (answer.vector) {
        object["vector"] = json_of(report.setting.shape(report.d), *answer.vector);
        object["errors"] = Json::array({number(answer.errors[0]), number(answer.errors[1])});
    }
    object["by"] = answer.by;
    put_ground(object, answer.ground);
    object["seconds"] = number(answer.seconds, "{:.4f}");
    return object;
}

} // namespace

void print_comparison(const ComparisonReport& report, const Colours& colours, std::ostream& out) {
    const compare::Setting& setting = report.setting;
    for (std::size_t i = 0; i < 2; ++i) out << fmt::format("{}  {}\n", letters[i], report.names[i]);
    out << fmt::format("on {}: {} elements, a {}, b {}, c {}, arithmetic in {}\n", report.unit, setting.length,
                       format(setting.a).name, format(setting.b).name, format(setting.c).name,
                       format(setting.arithmetic).name);
    for (const std::size_t which : {0, 1}) print_answer(report, which, colours, out);
    for (const measure::Measured& one : report.measured) {
        out << fmt::format("{}: {} dot products\n", one.family, one.units.front().dots);
        for (std::size_t i = 0; i < 2; ++i) out << fmt::format("  {}\n{}", letters[i], errors_text(one.units[i]));
        out << fmt::format("  nearer to the exact result: the first in {}\n", nearer_text(one.nearer));
    }
}

void print_comparison_json(const ComparisonReport& report, std::ostream& out) {
    const compare::Setting& setting = report.setting;
    Json programs = Json::array();
    for (std::size_t i = 0; i < 2; ++i)
        programs.push_back({{"algorithm", report.names[i]},
                            {"program", report.programs[i].text},
                            {"never_farther", as_json(report, report.answers[i])}});
    out << to_text({{"unit", report.unit},
                    {"length", setting.length},
                    {"inputs", {format(setting.a).name, format(setting.b).name, format(setting.c).name}},
                    {"arithmetic", format(setting.arithmetic).name},
                    {"d", format(report.d).name},
                    {"algorithms", programs},
                    {"families", json_of(report.measured, "algorithm", {report.names[0], report.names[1]})},
                    {"seconds", number(report.seconds, "{:.3f}")}})
        << '\n';
}

} // namespace discern::cli
