// See report.hpp.
#include "report.hpp"

#include "cli/distance.hpp"
#include "cli/files/json.hpp"
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
    out << "    " << as_options(report.setting.shape(report.d), *answer.vector) << '\n';
    for (std::size_t i = 0; i < 2; ++i)
        out << fmt::format("        {} gives {}, {} off\n", letters[i],
                           described(format(report.d), answer.vector->d[i]), ulps(answer.errors[i]));
}

std::string json_of(const ComparisonReport& report, const NeverFarther& answer) {
    return fmt::format(
        "{{\"verdict\":\"{}\",\"vector\":{},\"errors\":{},\"by\":{},{},\"seconds\":{:.4f}}}",
        property::name(answer.verdict),
        answer.vector ? to_json(report.setting.shape(report.d), *answer.vector) : "null",
        answer.vector ? fmt::format("[{},{}]", json_number(answer.errors[0]), json_number(answer.errors[1])) : "null",
        json_string(answer.by), ground_json(answer.ground), answer.seconds);
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
    std::string programs;
    for (std::size_t i = 0; i < 2; ++i)
        programs += fmt::format("{}{{\"algorithm\":{},\"program\":{},\"never_farther\":{}}}", i == 0 ? "" : ",",
                                json_string(report.names[i]), json_string(report.programs[i].text),
                                json_of(report, report.answers[i]));
    out << fmt::format(
        "{{\"unit\":{},\"length\":{},\"inputs\":[\"{}\",\"{}\",\"{}\"],\"arithmetic\":\"{}\",\"d\":\"{}\","
        "\"algorithms\":[{}],\"families\":{},\"seconds\":{:.3f}}}\n",
        json_string(report.unit), setting.length, format(setting.a).name, format(setting.b).name,
        format(setting.c).name, format(setting.arithmetic).name, format(report.d).name, programs,
        families_json(report.measured, "algorithm", {report.names[0], report.names[1]}), report.seconds);
}

} // namespace discern::cli
