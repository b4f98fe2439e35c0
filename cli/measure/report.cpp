// The report as text, as JSON, and as histograms in SVG.
#include "report.hpp"

#include "cli/distance.hpp"
#include "cli/files/markup.hpp"
#include "models/vectors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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

// ---- the picture

constexpr int margin = 12, width = 640, height = 170, title = 20, line_height = 16;
constexpr const char* colours[] = {"#2f6db3", "#c0452f", "#3f8f4e", "#8a5fb0", "#b07d1f"};

class Picture {
  public:
    explicit Picture(std::ostream& out) : out_(out) {}

    void print(const MeasureReport& report) {
        const int legend = line_height * static_cast<int>(report.units.size());
        const int total = 2 * margin + legend + static_cast<int>(report.families.size()) * (title + height + 34);
        const int wide = width + 2 * margin;
        out_ << fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
            "font-family=\"ui-monospace, monospace\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" "
            "fill=\"#fff\"/>\n",
            wide, total);
        int y = margin;
        for (std::size_t u = 0; u < report.units.size(); ++u, y += line_height) {
            out_ << fmt::format("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{}\"/>\n", margin, y + 5,
                                colours[u % std::size(colours)]);
            text(margin + 20, y + 11, report.units[u]);
        }
        for (const Measured& one : report.families) {
            family(one, report.units, y);
            y += title + height + 34;
        }
        out_ << "</svg>\n";
    }

  private:
    void text(int x, int y, const std::string& words, const std::string& how = "") {
        out_ << fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", x, y, how, escaped(words));
    }

    static double x_of(double ulp) { return margin + width * (ulp + Errors::reach) / (2 * Errors::reach); }

    /// Steps of a histogram, so that no shape is suggested that is not there.
    void family(const Measured& one, const std::vector<std::string>& units, int y) {
        text(margin, y + 14, one.family + ": errors in ulp, as shares of all dot products", "font-weight=\"bold\"");
        const int top = y + title, base = top + height;
        double most = 0;
        for (const Errors& e : one.units)
            for (std::size_t i = 1; i + 1 < e.histogram.size(); ++i)
                most = std::max(most, share(e.histogram[i], e.counted()));
        for (int ulp = -Errors::reach; ulp <= Errors::reach; ++ulp) {
            out_ << fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"{3}\"/>\n",
                                x_of(ulp), top, base, ulp == 0 ? "#888" : "#e3e3e3");
            text(static_cast<int>(x_of(ulp)) - (ulp == Errors::reach ? 8 : 3), base + 13, fmt::format("{}", ulp),
                 "fill=\"#777\" font-size=\"10\"");
        }
        out_ << fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"#888\"/>\n", margin, margin + width,
                            base, base);
        text(margin + 2, top + 10, fmt::format("{:.3g} %", 100 * most), "fill=\"#777\" font-size=\"10\"");
        for (std::size_t u = 0; u < units.size() && most > 0; ++u) {
            const Errors& e = one.units[u];
            std::string path;
            for (std::size_t i = 1; i + 1 < e.histogram.size(); ++i) {
                const double left = x_of(-Errors::reach + static_cast<double>(i - 1) / Errors::steps),
                             right = x_of(-Errors::reach + static_cast<double>(i) / Errors::steps),
                             at = base - height * share(e.histogram[i], e.counted()) / most;
                path += fmt::format("{}{:.1f},{:.1f} {:.1f},{:.1f}", path.empty() ? "" : " ", left, at, right, at);
            }
            const char* colour = colours[u % std::size(colours)];
            out_ << fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.4\"/>\n", path,
                                colour);
            if (const double bias = e.bias_ulp(); std::abs(bias) < Errors::reach)
                out_ << fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"{3}\" "
                                    "stroke-dasharray=\"3 2\"/>\n",
                                    x_of(bias), top, base, colour);
        }
    }

    std::ostream& out_;
};

void put_errors(Json& object, const Errors& e) {
    object["dots"] = e.dots;
    object["special"] = e.special;
    object["correct"] = e.correct;
    object["ulp"] = {{"mean", number(e.mean_ulp())},
                     {"max", number(e.most_ulp)},
                     {"bias", number(e.bias_ulp())},
                     {"histogram",
                      {{"from", -Errors::reach},
                       {"step", 1.0 / Errors::steps},
                       {"below", e.histogram.front()},
                       {"counts", std::vector<std::uint64_t>(e.histogram.begin() + 1, e.histogram.end() - 1)},
                       {"above", e.histogram.back()}}}};
    object["relative"] = {{"mean", number(e.mean_relative())},
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
        fmt::format("    ulp: {:.4g} on average, {:.4g} at most, bias {:+.4g}; correctly rounded {:.2f} %\n"
                    "    relative: {:.3g} on average, {:.3g} at most, bias {:+.3g}; absolute: {:.3g} on average, bias "
                    "{:+.3g}\n    {}\n",
                    e.mean_ulp(), e.most_ulp, e.bias_ulp(), 100 * share(e.correct, e.counted()), e.mean_relative(),
                    e.most_relative, e.bias_relative(), e.mean_absolute(), e.bias_absolute(), distribution(e));
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
    out << to_text({{"K", report.shape.K},
                    {"chain", report.chain},
                    {"families", json_of(report.families, "unit", report.units)},
                    {"seconds", number(report.seconds, "{:.3f}")}})
        << '\n';
}

void print_measured_svg(const MeasureReport& report, std::ostream& out) { Picture(out).print(report); }

} // namespace discern::cli
