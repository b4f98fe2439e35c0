// How the errors are distributed, in SVG: a picture a family, a curve a unit, with a ground of its own, so that it can
// be read on a dark page too.
#include "report.hpp"

#include "cli/files/markup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace discern::cli {

namespace {

using measure::Errors;
using measure::Measured;

constexpr int chart_margin = 12, scale = 52, width = 640, height = 170, title_height = 24, below = 56,
              legend_height = 16;
constexpr const char* inks[] = {"#2f6db3", "#c0452f", "#3f8f4e", "#8a5fb0", "#b07d1f"};

/// The shares of the histogram's cells, in percent.
double percent(const Errors& e, std::size_t cell) {
    return e.counted() == 0 ? 0 : 100 * static_cast<double>(e.histogram[cell]) / static_cast<double>(e.counted());
}

/// A step between the lines of a scale up to `most` that gives three to six of them: 1, 2 or 5 times a power of ten.
double step_of(double most) {
    const double power = std::pow(10, std::floor(std::log10(most)));
    for (const double factor : {0.1, 0.2, 0.5})
        if (most / (factor * power) <= 6) return factor * power;
    return power;
}

class Histograms {
  public:
    explicit Histograms(std::ostream& out) : out_(out) {}

    void print(const MeasureReport& report) {
        const int legend = legend_height * static_cast<int>(report.units.size());
        const int total =
            chart_margin + legend + static_cast<int>(report.families.size()) * (title_height + height + below);
        int letters = 0;
        for (const std::string& unit : report.units) letters = std::max(letters, static_cast<int>(unit.size()));
        const int wide = std::max(scale + width + chart_margin, 8 * letters + 2 * chart_margin + 40);
        out_ << fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
            "font-family=\"ui-monospace, monospace\" font-size=\"12\" fill=\"#222\">\n"
            "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
            wide, total);
        int y = chart_margin;
        for (std::size_t u = 0; u < report.units.size(); ++u, y += legend_height) {
            out_ << fmt::format("<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{}\"/>\n", chart_margin,
                                y + 5, ink(u));
            text(chart_margin + 20, y + 11, report.units[u]);
        }
        for (const Measured& one : report.families) {
            family(one, y);
            y += title_height + height + below;
        }
        out_ << "</svg>\n";
    }

  private:
    static const char* ink(std::size_t unit) { return inks[unit % std::size(inks)]; }

    void text(double x, int y, const std::string& words, const std::string& how = "") {
        out_ << fmt::format("<text x=\"{:.0f}\" y=\"{}\" {}>{}</text>\n", x, y, how, escaped(words));
    }
    void line(double x1, double x2, double y1, double y2, const std::string& stroke) {
        out_ << fmt::format("<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke={}/>\n", x1, x2, y1,
                            y2, stroke);
    }

    static double x_of(double ulp) { return scale + width * (ulp + Errors::reach) / (2 * Errors::reach); }

    void family(const Measured& one, int y) {
        static constexpr const char* small = "fill=\"#666\" font-size=\"10\" text-anchor=\"middle\"";
        const int top = y + title_height, base = top + height;
        const std::uint64_t dots = one.units.empty() ? 0 : one.units.front().dots;
        text(scale, y + 16,
             fmt::format("{}: errors in ulp, the share of {} dot products in each eighth", one.family, dots),
             "font-weight=\"bold\"");
        double most = 0;
        for (const Errors& e : one.units)
            for (std::size_t i = 1; i + 1 < e.histogram.size(); ++i) most = std::max(most, percent(e, i));
        if (most == 0) most = 1;
        const double each = step_of(most);
        for (double at = 0; at <= most; at += each) {
            const double where = base - height * at / most;
            line(scale, scale + width, where, where, at == 0 ? "\"#888\"" : "\"#e3e3e3\"");
            text(scale - 4, static_cast<int>(where) + 3, fmt::format("{:.3g} %", at),
                 "fill=\"#666\" font-size=\"10\" text-anchor=\"end\"");
        }
        for (int ulp = -Errors::reach; ulp <= Errors::reach; ++ulp) {
            line(x_of(ulp), x_of(ulp), top, base, ulp == 0 ? "\"#888\"" : "\"#e3e3e3\"");
            text(x_of(ulp), base + 13, fmt::format("{}", ulp), small);
        }
        text(x_of(0), base + 27, "error in ulp of the exact result; dashed: the mean", small);
        std::string beyond;
        for (const Errors& e : one.units)
            beyond += fmt::format("{}{:.2f} %", beyond.empty() ? "" : ", ",
                                  percent(e, 0) + percent(e, e.histogram.size() - 1));
        text(x_of(0), base + 40, fmt::format("beyond 4 ulp: {}", beyond), small);
        for (std::size_t u = 0; u < one.units.size(); ++u) curve(one.units[u], ink(u), top, base, most);
    }

    /// Steps of a histogram, so that no shape is suggested that is not there.
    void curve(const Errors& e, const char* colour, int top, int base, double most) {
        std::string path;
        for (std::size_t i = 1; i + 1 < e.histogram.size(); ++i) {
            const double left = x_of(-Errors::reach + static_cast<double>(i - 1) / Errors::steps),
                         right = x_of(-Errors::reach + static_cast<double>(i) / Errors::steps),
                         at = base - height * percent(e, i) / most;
            path += fmt::format("{}{:.1f},{:.1f} {:.1f},{:.1f}", path.empty() ? "" : " ", left, at, right, at);
        }
        out_ << fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.4\"/>\n", path,
                            colour);
        if (const double bias = e.bias_ulp(); std::abs(bias) < Errors::reach)
            line(x_of(bias), x_of(bias), top, base, fmt::format("\"{}\" stroke-dasharray=\"3 2\"", colour));
    }

    std::ostream& out_;
};

} // namespace

void print_measured_svg(const MeasureReport& report, std::ostream& out) { Histograms(out).print(report); }

} // namespace discern::cli
