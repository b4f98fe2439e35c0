// Suites as one page of HTML without scripts or other files: a cell of the matrix is a link to its witness, and the
// witness that a link leads to is opened by the style sheet. See report.hpp.
#include "analysis/explain/parting.hpp"
#include "analysis/explain/trace.hpp"
#include "cli/files/markup.hpp"
#include "cli/files/one_vector.hpp"
#include "cli/options/design_options.hpp"
#include "cli/options/options.hpp"
#include "cli/options/values.hpp"
#include "models/unit/sentence.hpp"
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace discern::cli {

namespace {

// Beyond that a matrix is no longer looked at, and the page would have millions of cells.
constexpr std::size_t most_of_page = 120;

constexpr std::size_t most_partings = 8; ///< of a vector

constexpr std::string_view page_style = R"(<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em; color: #222; }
body, code { overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: .6em 0 1em; display: block; max-width: 100%; overflow-x: auto; }
th, td { border: 1px solid #ccc; padding: .15em .5em; text-align: left; vertical-align: top; }
th { background: #f3f3f3; font-weight: 600; }
td.same { background: #eee; color: #999; } td.open { background: #ffd9b3; } td.equal { background: #d9eaff; }
td.at { text-align: center; } td a { text-decoration: none; display: block; }
code, .bits { font-family: ui-monospace, monospace; font-size: 13px; }
.witness { display: none; border-left: 4px solid #4a78b5; padding: .2em 1em; margin: .5em 0; }
.witness:target { display: block; }
details { margin: .3em 0; }
</style>
)";

class Page {
  public:
    Page(std::ostream& out, const Suite& suite, std::size_t index) : out_(out), suite_(suite), index_(index) {}

    void print() {
        out_ << fmt::format("<h2 id=\"s{}\">{}</h2>\n<p>Vectors: {}.</p>\n", index_, escaped(to_string(suite_.shape)),
                            escaped(size_sentence(suite_)));
        print_classes();
        if (suite_.vectors.empty()) return;
        if (suite_.classes.size() <= most_of_page)
            print_matrix();
        else
            out_ << fmt::format("<p>The matrix of {} classes is left out; --json has it.</p>\n", suite_.classes.size());
        for (std::size_t v = 0; v < suite_.vectors.size(); ++v) print_vector(v);
    }

  private:
    void print_classes() {
        out_ << "<table><tr><th>class</th><th>units</th></tr>\n";
        for (std::size_t c = 0; c < suite_.classes.size(); ++c) {
            out_ << fmt::format("<tr><td>{}</td><td>", class_letter(c));
            const char* between = "";
            for (const std::size_t unit : suite_.classes[c]) {
                out_ << between << "<code>" << escaped(suite_.units.text(unit)) << "</code>";
                between = "<br>";
            }
            out_ << "</td></tr>\n";
        }
        out_ << "</table>\n";
    }

    void print_matrix() {
        out_ << "<p>The vector that separates two classes: follow a cell to see it. = the same; ? unknown; ≈ proved "
                "equal, as a NaN of one may be any.</p>\n<table><tr><th></th>";
        for (std::size_t c = 0; c < suite_.classes.size(); ++c) out_ << "<th>" << class_letter(c) << "</th>";
        out_ << "</tr>\n";
        for (std::size_t i = 0; i < suite_.classes.size(); ++i) {
            out_ << "<tr><th>" << class_letter(i) << "</th>";
            for (std::size_t j = 0; j < suite_.classes.size(); ++j) print_cell(i, j);
            out_ << "</tr>\n";
        }
        out_ << "</table>\n";
    }

    void print_cell(std::size_t i, std::size_t j) {
        const std::string text = cell(suite_, i, j);
        if (text == "=" || text == "?" || text == "≈") {
            const char* kind = text == "=" ? "same" : text == "?" ? "open" : "equal";
            out_ << fmt::format("<td class=\"at {}\">{}</td>", kind, text);
        } else {
            out_ << fmt::format("<td class=\"at\"><a href=\"#s{}v{}\">{}</a></td>", index_, text, text);
        }
    }

    void print_vector(std::size_t v) {
        const Vector& vector = suite_.vectors[v];
        const Format &a = format(suite_.shape.a), &b = format(suite_.shape.b), &d = format(suite_.shape.d);
        out_ << fmt::format("<div class=\"witness\" id=\"s{}v{}\"><h3>Vector {}</h3>\n", index_, v + 1, v + 1);
        out_ << "<table><tr><th>k</th><th>a</th><th>b</th></tr>\n";
        for (std::size_t k = 0; k < vector.a.size(); ++k)
            out_ << fmt::format("<tr><td>{}</td><td class=\"bits\">{}</td><td class=\"bits\">{}</td></tr>\n", k,
                                described(a, vector.a[k]), described(b, vector.b[k]));
        out_ << "</table>\n";
        if (suite_.shape.scale) {
            const Format& scale = format(suite_.shape.scale->format);
            out_ << "<p class=\"bits\">scales of a:";
            for (const auto s : vector.sa) out_ << ' ' << described(scale, s);
            out_ << "<br>scales of b:";
            for (const auto s : vector.sb) out_ << ' ' << described(scale, s);
            out_ << "</p>\n";
        }
        if (vector.c) out_ << "<p class=\"bits\">c: " << described(format(*suite_.shape.c), *vector.c) << "</p>\n";
        out_ << "<table><tr><th>class</th><th>d</th></tr>\n";
        for (std::size_t c = 0; c < std::min(vector.d.size(), most_of_page); ++c)
            out_ << fmt::format("<tr><td>{}</td><td class=\"bits\">{}</td></tr>\n", class_letter(c),
                                described(d, vector.d[c]));
        out_ << "</table>\n";
        print_partings(vector);
        out_ << "<details><summary>as a line of a file of vectors</summary><code>"
             << escaped(to_json(suite_.shape, vector)) << "</code></details></div>\n";
    }

    /// The first step at which each class differs from the first one.
    void print_partings(const Vector& vector) {
        const auto unit_of = [&](std::size_t c) { return suite_.units[suite_.classes[c].front()]; };
        const explain::Trace first = explain::trace(unit_of(0).unit, vector.inputs());
        std::size_t shown = 0;
        for (std::size_t c = 1; c < suite_.classes.size() && shown < most_partings; ++c) {
            if (vector.d[c] == vector.d[0] || is_design(unit_of(c).text)) continue;
            const auto parting = explain::parting(first, explain::trace(unit_of(c).unit, vector.inputs()),
                                                  class_letter(0), class_letter(c));
            if (!parting) continue;
            if (shown++ == 0)
                out_ << "<p><code>"
                     << escaped(quoted_command("explain", std::array{unit_of(0).text, unit_of(c).text}) + " " +
                                as_options(suite_.shape, vector))
                     << "</code></p>\n<ul>\n";
            out_ << "<li>" << escaped(parting->sentence) << "</li>\n";
        }
        if (shown > 0) out_ << "</ul>\n";
    }

    std::ostream& out_;
    const Suite& suite_;
    std::size_t index_;
};

} // namespace

void print_page(std::ostream& out, std::span<const Suite> suites, const std::string& command,
                const std::vector<std::string>& assumed) {
    out << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>Suites</title>\n"
        << page_style << "</head><body>\n<h1>Suites</h1>\n<p>Written by <code>" << escaped(command) << "</code>.</p>\n";
    for (const std::string& one : assumed) out << "<p>assumed: " << escaped(one) << "</p>\n";
    if (suites.size() > 1) {
        out << "<table><tr><th>signature</th><th>units</th><th>classes</th><th>vectors</th><th>open</th></tr>\n";
        for (std::size_t i = 0; i < suites.size(); ++i)
            out << fmt::format(
                "<tr><td><a href=\"#s{}\">{}</a></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", i,
                escaped(to_string(suites[i].shape)), suites[i].units.size(), suites[i].classes.size(),
                suites[i].vectors.size(), suites[i].open_pairs());
        out << "</table>\n";
    }
    for (std::size_t i = 0; i < suites.size(); ++i) Page(out, suites[i], i).print();
    out << "</body></html>\n";
}

} // namespace discern::cli
