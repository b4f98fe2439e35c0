// An explanation as pictures: a sum drawn to scale, a square a bit, truncated bits shaded. One SVG, or a page with
// all. Both stand alone: no scripts, no other files.
#include "cli/files/exactness.hpp"
#include "report.hpp"

#include "cli/files/markup.hpp"
#include "cli/options/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace discern::cli {

namespace {

constexpr int cell_width = 13, row_height = 18, names_width = 62, values_width = 210;
constexpr int picture_margin = 12;
constexpr const char *kept_fill = "#bcd0ea", *lost_fill = "#f3b8b0", *sum_fill = "#bcd9b6";

/// One row of a picture.
struct PictureRow {
    std::string name, value;
    const explain::Number* bits = nullptr;
    std::optional<int> lsb;
    bool is_result = false;
};

std::vector<PictureRow> rows_of(const explain::Sum& sum, const std::string& unit) {
    std::vector<PictureRow> rows;
    for (const explain::Term& term : sum.terms)
        if (!term.value.is_zero() || sum.E_from == term.name)
            rows.push_back({term.name, term.value.text(), &term.value, term.lsb});
    const std::optional<int> last = lowest_lsb(sum);
    rows.push_back({sum.name, sum.value.text(), &sum.value, last, true});
    if (sum.result != sum.value) rows.push_back({"held", sum.result.text(), &sum.result, last, true});
    for (PictureRow& row : rows) row.name = unit + row.name;
    return rows;
}

class Picture {
  public:
    Picture(const Grid& grid, std::ostream& out) : grid_(grid), out_(out) {}

    /// @param titles  one above each group of rows
    void print(const std::vector<std::string>& titles, const std::vector<std::vector<PictureRow>>& groups) {
        int height = 2 * picture_margin + 2 * row_height;
        for (const auto& rows : groups) height += row_height * (static_cast<int>(rows.size()) + 2);
        const int width = std::max(2 * picture_margin + 3 * 90, 2 * picture_margin + names_width + values_width +
                                                                    cell_width * (grid_.columns() + 2));
        out_ << fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
            "font-family=\"ui-monospace, monospace\" font-size=\"12\" fill=\"#222\">\n<rect width=\"{0}\" "
            "height=\"{1}\" fill=\"#fff\"/>\n",
            width, height);
        y_ = picture_margin;
        print_scale();
        for (std::size_t i = 0; i < groups.size(); ++i) {
            y_ += row_height;
            text(picture_margin, titles[i], "font-weight=\"bold\"");
            for (const PictureRow& row : groups[i]) print_row(row);
            y_ += row_height;
        }
        print_legend();
        out_ << "</svg>\n";
    }

  private:
    int x_of(int exponent) const {
        return picture_margin + names_width + values_width + cell_width * (grid_.top - exponent);
    }

    void text(int x, const std::string& words, const std::string& how = "") {
        out_ << fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", x, y_ + 12, how, escaped(words));
    }

    /// Powers of two above the columns.
    void print_scale() {
        for (int exponent = grid_.top; exponent >= grid_.low; --exponent)
            if (exponent % 4 == 0)
                text(x_of(exponent), fmt::format("{}", exponent),
                     "fill=\"#777\" font-size=\"9\" text-anchor=\"start\"");
        text(picture_margin, "2^", "fill=\"#777\"");
    }

    void print_legend() {
        int x = picture_margin;
        for (const auto& [fill, words] :
             {std::pair(kept_fill, "kept"), {lost_fill, "truncated"}, {sum_fill, "the sum"}}) {
            out_ << fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x, y_ + 3,
                                cell_width - 1, cell_width - 3, fill);
            text(x + cell_width + 4, words, "fill=\"#666\" font-size=\"10\"");
            x += 90;
        }
    }

    void print_row(const PictureRow& row) {
        y_ += row_height;
        text(picture_margin, row.name, row.is_result ? "font-weight=\"bold\"" : "");
        const bool is_long = row.value.size() > 27;
        text(picture_margin + names_width, is_long ? row.value.substr(0, 26) + "…" : row.value);
        const explain::Number& x = *row.bits;
        if (x.digits.empty()) return;
        text(x_of(grid_.top) - cell_width, x.negative ? "−" : "+");
        for (int exponent = std::min(grid_.top, x.top()); exponent >= std::max(grid_.low, x.lsb); --exponent) {
            const bool lost = row.lsb && exponent < *row.lsb;
            out_ << fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", x_of(exponent),
                                y_ + 1, cell_width - 1, row_height - 3,
                                lost            ? lost_fill
                                : row.is_result ? sum_fill
                                                : kept_fill);
            text(x_of(exponent) + 3, std::string(1, digit_at(x, exponent)), lost ? "fill=\"#a33\"" : "");
        }
        if (grid_.is_shortened && x.lsb < grid_.low) text(x_of(grid_.low) + cell_width, "…");
        // Beside the columns there is no digit that could be truncated.
        if (row.lsb && *row.lsb >= grid_.low && *row.lsb <= grid_.top + 1) {
            const int x_lost = x_of(*row.lsb) + cell_width;
            out_ << fmt::format(
                "<line x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#a33\" stroke-dasharray=\"3 2\"/>\n",
                x_lost, y_ - 1, y_ + row_height - 1);
        }
    }

    const Grid& grid_;
    std::ostream& out_;
    int y_ = 0;
};

std::string letter(std::size_t unit, std::size_t of) {
    return of > 1 ? std::string(1, static_cast<char>('A' + unit)) + " " : "";
}

std::string sum_title(const Explanation& all, std::size_t unit, const explain::Sum& sum) {
    const Explained& one = all.units[unit];
    return fmt::format("{}{}: {}, E = {} from {}", letter(unit, all.units.size()), one.name, sum.name,
                       sum.E ? fmt::format("{}", *sum.E) : "none", sum.E_from);
}

/// @return whether there was something to draw
bool print_sums(const Explanation& all, const std::vector<const explain::Sum*>& sums, std::ostream& out) {
    const Grid grid = grid_of(sums);
    if (grid.is_empty()) return false;
    std::vector<std::string> titles;
    std::vector<std::vector<PictureRow>> groups;
    for (std::size_t u = 0; u < sums.size(); ++u) {
        if (sums[u] == nullptr) continue;
        titles.push_back(sum_title(all, u, *sums[u]));
        groups.push_back(rows_of(*sums[u], letter(u, sums.size())));
    }
    Picture(grid, out).print(titles, groups);
    return true;
}

struct OwnSum {
    const explain::Sum* sum = nullptr;
    std::size_t block = 0;
};

/// The last sum of a unit in which something is truncated, else the last one; none if there is none.
OwnSum own_sum(const Explained& one) {
    OwnSum last, lost;
    for (std::size_t b = 0; b < one.trace.blocks.size(); ++b)
        for (const explain::Step& step : one.trace.blocks[b].steps)
            if (const auto* sum = std::get_if<explain::Sum>(&step)) {
                last = {sum, b};
                if (std::ranges::any_of(sum->terms, [](const explain::Term& term) { return !term.lost.is_zero(); }))
                    lost = last;
            }
    return lost.sum != nullptr ? lost : last;
}

/// The sum that a single picture shows: where two units part, else the last one in which something is truncated, else
/// the last one.
std::pair<std::size_t, std::string> shown_sum(const Explanation& all) {
    if (all.parting && all.parting->what != explain::Parting::What::shape && all.parting->step != "d" &&
        !all.parting->step.empty() && all.parting->step.front() != 'r')
        return {all.parting->block, all.parting->step};
    const OwnSum own = own_sum(all.units.front());
    return {own.block, own.sum == nullptr ? "" : own.sum->name};
}

constexpr std::string_view picture_style = R"(<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; color: #222; }
body, code { overflow-wrap: anywhere; }
.sum { overflow-x: auto; margin: .6em 0 1.2em; }
svg { display: block; }
</style>
)";

} // namespace

void print_svg(const Explanation& all, std::ostream& out) {
    const auto [block, name] = shown_sum(all);
    auto sums = sums_of(all, block, name);
    // Where a unit has no sum of that name, as with blocks of another length, its own is drawn.
    for (std::size_t u = 0; u < sums.size(); ++u)
        if (sums[u] == nullptr) sums[u] = own_sum(all.units[u]).sum;
    if (name.empty() || !print_sums(all, sums, out))
        out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 360 30\" width=\"360\" height=\"30\"><rect "
               "width=\"360\" height=\"30\" fill=\"#fff\"/><text fill=\"#222\" "
               "x=\"8\" "
               "y=\"20\" font-family=\"monospace\" font-size=\"12\">no sum of this vector can be drawn</text></svg>\n";
}

void print_html(const Explanation& all, const std::string& command, std::ostream& out) {
    out << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" "
           "content=\"width=device-width, initial-scale=1\">\n<title>discern explain</title>\n"
        << picture_style << "</head><body>\n<h1>Why?</h1>\n<p><code>" << escaped(command) << "</code></p>\n<ul>\n";
    for (std::size_t u = 0; u < all.units.size(); ++u)
        out << fmt::format("<li>{}<code>{}</code> gives <code>{}</code></li>\n", letter(u, all.units.size()),
                           escaped(all.units[u].name),
                           escaped(described(format(all.units[u].unit.d), all.units[u].trace.d)));
    for (const std::string& one : all.assumed) out << "<li>assumed: " << escaped(one) << "</li>\n";
    out << "</ul>\n<p>exact: <code>" << escaped(exact_text(all.units.front().exactness)) << "</code>";
    for (std::size_t u = 0; u < all.units.size(); ++u)
        out << fmt::format("; {}is {}", u == 0 && all.units.size() == 1 ? "d " : letter(u, all.units.size()),
                           escaped(distance_text(all.units[u].exactness)));
    out << "</p>\n";
    if (all.parting) out << "<p><strong>" << escaped(all.parting->sentence) << "</strong></p>\n";
    std::size_t blocks = 0;
    for (const Explained& one : all.units) blocks = std::max(blocks, one.trace.blocks.size());
    for (std::size_t b = 0; b < blocks; ++b) {
        out << fmt::format("<h2>Block {}</h2>\n", b);
        std::vector<std::string> seen;
        for (const Explained& one : all.units) {
            if (b >= one.trace.blocks.size()) continue;
            for (const explain::Step& step : one.trace.blocks[b].steps) {
                if (const auto* round = std::get_if<explain::RoundStep>(&step)) {
                    out << fmt::format("<p>{}{}: {} rounded to {} ({}) is <code>{}</code></p>\n",
                                       letter(static_cast<std::size_t>(&one - all.units.data()), all.units.size()),
                                       round->name, escaped(round->operand.text()), format(round->rule.format).name,
                                       name(round->rule.mode),
                                       escaped(described(format(round->rule.format), round->bits)));
                    continue;
                }
                const explain::Sum& sum = std::get<explain::Sum>(step);
                if (std::find(seen.begin(), seen.end(), sum.name) != seen.end()) continue;
                seen.push_back(sum.name);
                out << "<div class=\"sum\">\n";
                if (!print_sums(all, sums_of(all, b, sum.name), out))
                    out << fmt::format("<p>{}: {}</p>\n", sum.name, escaped(sum.result.text()));
                out << "</div>\n";
            }
        }
    }
    out << "</body></html>\n";
}

} // namespace discern::cli
