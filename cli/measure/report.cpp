// The report as text and as JSON.
#include "report.hpp"

#include "cli/base/distance.hpp"

#include <fmt/format.h>

namespace discern::cli {

namespace {

using measure::Errors;
using measure::Measured;

double share(std::uint64_t part, std::uint64_t of) {
    return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of);
}

/// Errors of at most 1/8 ulp of either sign, 1/4, 1/2, 1, 2, 4 and more: shares of all.
std::string distribution(const Errors& e) {
    static constexpr struct {
        const char* name;
        int from, to; ///< cells of the histogram away from zero
    } bounds[] = {{"-4…-1", -32, -8}, {"-1…-1/2", -8, -4}, {"-1/2…0", -4, 0},
                  {"0…1/2", 0, 4},    {"1/2…1", 4, 8},     {"1…4", 8, 32}};
    const auto percent = [&](std::uint64_t n) { return fmt::format("{:.2f} %", 100 * share(n, e.counted())); };
    std::string text = "below -4: " + percent(e.histogram.front());
    for (const auto& [name, from, to] : bounds) {
        std::uint64_t count = 0;
        for (int cell = from; cell < to; ++cell)
            count += e.histogram[static_cast<std::size_t>(cell + Errors::reach * Errors::steps) + 1];
        text += fmt::format("  {}: {}", name, percent(count));
    }
    return text + "  above 4: " + percent(e.histogram.back());
}

/// {"0.5":…,"0.9":…}: by the share of the dot products that have no larger error.
Json as_json(const measure::Quantiles& quantiles) {
    Json object = Json::object();
    for (const double share : measure::shown_shares) object[fmt::format("{}", share)] = number(quantiles.at(share));
    return object;
}

/// "median 0.5, 90 % up to 2, 99 % up to 8, 99.9 % up to 77"
std::string as_text(const measure::Quantiles& quantiles, int digits) {
    std::string text;
    for (const double share : measure::shown_shares)
        text += share == 0.5 ? fmt::format("median {:.{}g}", quantiles.at(share), digits)
                             : fmt::format(", {:.4g} % up to {:.{}g}", 100 * share, quantiles.at(share), digits);
    return text;
}

void put_errors(Json& object, const Errors& e) {
    object["dots"] = e.dots;
    object["special"] = e.special;
    object["correct"] = e.correct;
    object["ulp"] = {{"mean", number(e.mean_ulp())},
                     {"quantiles", as_json(e.of_ulp)},
                     {"max", number(e.most_ulp)},
                     {"bias", number(e.bias_ulp())},
                     {"histogram",
                      {{"from", -Errors::reach},
                       {"step", 1.0 / Errors::steps},
                       {"below", e.histogram.front()},
                       {"counts", std::vector<std::uint64_t>(e.histogram.begin() + 1, e.histogram.end() - 1)},
                       {"above", e.histogram.back()}}}};
    object["relative"] = {{"mean", number(e.mean_relative())},
                          {"quantiles", as_json(e.of_relative)},
                          {"max", number(e.most_relative)},
                          {"bias", number(e.bias_relative())},
                          {"without", e.from_zero}};
    object["absolute"] = {{"mean", number(e.mean_absolute())}, {"bias", number(e.bias_absolute())}};
    object["from_correct"] = json_of(e.apart);
}

Json as_json(const measure::NearerCounts& n) {
    return {{"first", n.first}, {"second", n.second}, {"neither", n.neither}};
}

} // namespace

std::string errors_text(const Errors& e) {
    std::string text =
        fmt::format("    ulp: {}, at most {:.4g}; {:.4g} on average, bias {:+.4g}\n"
                    "    relative: {}, at most {:.3g}; {:.3g} on average, bias {:+.3g}\n"
                    "    absolute: {:.3g} on average, bias {:+.3g}; correctly rounded {:.2f} %\n    {}\n",
                    as_text(e.of_ulp, 4), e.most_ulp, e.mean_ulp(), e.bias_ulp(), as_text(e.of_relative, 3),
                    e.most_relative, e.mean_relative(), e.bias_relative(), e.mean_absolute(), e.bias_absolute(),
                    100 * share(e.correct, e.counted()), distribution(e));
    if (e.special > 0) text += fmt::format("    infinite or NaN, and left out: {}\n", e.special);
    return text;
}

std::string nearer_text(const measure::NearerCounts& n) {
    const std::uint64_t all = n.first + n.second + n.neither;
    return fmt::format("{:.2f} %, the second in {:.2f} %, both alike in {:.2f} %", 100 * share(n.first, all),
                       100 * share(n.second, all), 100 * share(n.neither, all));
}

Json json_of(const std::vector<Measured>& all, const std::string& what, const std::vector<std::string>& names) {
    return list_of(all, [&](const Measured& one) {
        Json each = Json::array();
        for (std::size_t u = 0; u < names.size(); ++u) {
            Json errors = {{what, names[u]}};
            put_errors(errors, one.units[u]);
            each.push_back(errors);
        }
        Json family = {{"family", one.family}, {what + "s", each}};
        if (names.size() > 1) family["nearer"] = as_json(one.nearer);
        return family;
    });
}

void print_measured(const MeasureReport& report, std::ostream& out) {
    for (const Measured& one : report.families) {
        out << fmt::format("{}: {} dot products of {} products{}\n", one.family,
                           one.units.empty() ? 0 : one.units.front().dots, report.shape.K * report.chain,
                           report.chain > 1 ? fmt::format(", {} instructions", report.chain) : "");
        for (std::size_t u = 0; u < report.units.size(); ++u)
            out << fmt::format("  {}\n{}", report.units[u], errors_text(one.units[u]));
        if (report.units.size() > 1)
            out << fmt::format("  nearer to the exact result: the first in {}\n", nearer_text(one.nearer));
    }
}

void print_measured_json(const MeasureReport& report, std::ostream& out) {
    print_line(out, {{"K", report.shape.K},
                     {"chain", report.chain},
                     {"families", json_of(report.families, "unit", report.units)},
                     {"seconds", number(report.seconds, "{:.3f}")}});
}

} // namespace discern::cli
