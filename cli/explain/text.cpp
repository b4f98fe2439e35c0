// An explanation for people: each sum as a table and a grid of bits, and the step at which two units part.
#include "cli/files/exactness.hpp"
#include "report.hpp"

#include "cli/options/values.hpp"
#include "models/unit/sentence.hpp"
#include "models/unit/tree_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace discern::cli {

namespace {

std::string letter(std::size_t unit) { return std::string(1, static_cast<char>('A' + unit)); }

/// "p4 to p7", for elements that follow each other.
std::string names_of(const std::vector<std::size_t>& elements) {
    std::string text;
    for (std::size_t i = 0; i < elements.size();) {
        std::size_t j = i;
        while (j + 1 < elements.size() && elements[j + 1] == elements[j] + 1) ++j;
        text += fmt::format("{}p{}", i == 0 ? "" : ", ", elements[i]);
        if (j > i) text += fmt::format("{}p{}", j == i + 1 ? ", " : " to ", elements[j]);
        i = j + 1;
    }
    return text;
}

class Text {
  public:
    Text(const Explanation& all, const Colours& colours, std::ostream& out)
        : all_(all), shape_(shape_of(all.units.front().unit)), colours_(colours), out_(out) {}

    void print() {
        if (!all_.where.empty()) out_ << all_.where << '\n';
        for (std::size_t u = 0; u < all_.units.size(); ++u) {
            const Explained& one = all_.units[u];
            out_ << fmt::format("{}{}  d = {}\n", all_.units.size() > 1 ? letter(u) + "  " : "", one.name,
                                colours_.strong(described(format(one.unit.d), one.trace.d)));
        }
        const explain::Exactness& first = all_.units.front().exactness;
        out_ << fmt::format("exact: {}; {} is {}", exact_text(first), all_.units.size() > 1 ? "A" : "d",
                            distance_text(first));
        if (all_.units.size() > 1) out_ << "; B is " << distance_text(all_.units.back().exactness);
        out_ << '\n';
        if (all_.units.size() == 1) return print_all(all_.units.front());
        if (!all_.parting) {
            out_ << "the two give the same on this vector\n";
            return;
        }
        out_ << colours_.strong(all_.parting->sentence) << '\n';
        using enum explain::Parting::What;
        if (all_.parting->what == shape || all_.parting->what == last) { // their steps need not correspond
            for (std::size_t u = 0; u < all_.units.size(); ++u) {
                out_ << '\n' << letter(u) << '\n';
                print_all(all_.units[u]);
            }
            return;
        }
        print_block(all_.parting->block);
    }

  private:
    void print_all(const Explained& one) {
        Explanation alone{{one}, all_.vector, "", std::nullopt};
        Text text(alone, colours_, out_);
        for (std::size_t block = 0; block < one.trace.blocks.size(); ++block) text.print_block(block);
        if (one.trace.c_last)
            out_ << fmt::format("\nlast: c is added, by one IEEE addition in {}: {}\n", format(one.unit.d).name,
                                one.trace.result.text());
    }

    /// The steps of a block, those of all units under each other.
    void print_block(std::size_t index) {
        const explain::Block& block = all_.units.front().trace.blocks[index];
        out_ << fmt::format("\nblock {}: {}{}\n", index, names_of(block.elements), accumulator(block));
        for (std::size_t i = 0; i < block.steps.size(); ++i) {
            if (const auto* sum = std::get_if<explain::Sum>(&block.steps[i]))
                print_sums(sums_of(all_, index, sum->name));
            else
                print_rounding(index, i);
        }
    }

    static std::string accumulator(const explain::Block& block) {
        if (block.accumulator == "+0") return ""; // or none at all
        if (block.accumulator == "c") return ", and c";
        return ", and " + block.accumulator + ", the result of the block before";
    }

    void print_sums(const std::vector<const explain::Sum*>& sums) {
        for (std::size_t u = 0; u < sums.size(); ++u) out_ << fmt::format("  {}{}\n", prefix(u), heading(*sums[u]));
        const Grid grid = grid_of(sums);
        const bool draws = !grid.is_empty() && sums.front()->E.has_value();
        std::size_t width = 0;
        for (const explain::Term& term : sums.front()->terms) width = std::max(width, of_value(term, 0).size());
        std::string zeros;
        for (std::size_t t = 0; t < sums.front()->terms.size(); ++t) {
            const explain::Term& term = sums.front()->terms[t];
            const bool all_zero = std::all_of(sums.begin(), sums.end(), [&](const explain::Sum* sum) {
                return sum->terms[t].value.is_zero() && sum->E_from != term.name;
            });
            if (all_zero) {
                zeros += (zeros.empty() ? "" : " ") + term.name;
                continue;
            }
            for (std::size_t u = 0; u < sums.size(); ++u)
                print_term(sums[u]->terms[t], *sums[u], u, grid, draws, width);
        }
        if (!zeros.empty()) out_ << fmt::format("    zero: {}\n", zeros);
        for (std::size_t u = 0; u < sums.size(); ++u) print_result(*sums[u], u, grid, draws, width);
    }

    std::string prefix(std::size_t unit) const { return all_.units.size() > 1 ? letter(unit) + "  " : ""; }

    static std::string heading(const explain::Sum& sum) {
        if (!sum.E && sum.result.kind != explain::Number::Kind::finite) return sum.name + ": a term is infinite or NaN";
        if (!sum.E) return sum.name + ": no term takes part";
        std::string text =
            fmt::format("{}: E = {}, {} {}", sum.name, *sum.E, sum.E_from == "floor" ? "the" : "from", sum.E_from);
        if (sum.E_raised) text += ", raised to the next step";
        std::vector<int> lsbs;
        bool whole = false;
        for (const explain::Term& term : sum.terms) {
            if (!term.lsb)
                whole = true;
            else if (std::find(lsbs.begin(), lsbs.end(), *term.lsb) == lsbs.end())
                lsbs.push_back(*term.lsb);
        }
        if (lsbs.empty()) return text + "; nothing is truncated";
        text += "; kept down to ";
        for (std::size_t i = 0; i < lsbs.size(); ++i) text += fmt::format("{}2^{}", i == 0 ? "" : " or ", lsbs[i]);
        return text + (whole ? ", or whole" : "");
    }

    /// A number's digits over the columns of the grid, with a bar where a term is truncated. @param lsb  of the term
    std::string row(const explain::Number& x, const Grid& grid, std::optional<int> lsb) const {
        std::string text = x.is_zero() ? " " : x.negative ? "-" : "+", below;
        for (int exponent = grid.top; exponent >= grid.low; --exponent) {
            (lsb && exponent < *lsb ? below : text) += digit_at(x, exponent);
            if (lsb && exponent == *lsb) text += "|";
        }
        if (grid.is_shortened && !x.digits.empty() && x.lsb < grid.low) below += "…";
        return text + (lsb ? colours_.bad(below) : below);
    }

    std::string of_value(const explain::Term& term, std::size_t unit) const {
        Shape shape = shape_;
        if (has_scaled_sums(all_.units[unit].unit.tree)) shape.scale.reset(); // products are not multiplied by scales
        const std::string product = factors(shape, all_.vector, term.name);
        return product.empty() ? term.value.text() : product + " = " + term.value.text();
    }

    void print_term(const explain::Term& term, const explain::Sum& sum, std::size_t unit, const Grid& grid, bool draws,
                    std::size_t width) {
        std::string note;
        if (term.dropped)
            note = "dropped: too far below E";
        else if (!term.lost.is_zero() && term.kept.is_zero())
            note = "all of it is truncated";
        else if (!term.lost.is_zero())
            note = "kept " + term.kept.text();
        if (!term.exponent) note += note.empty() ? "takes no part in E" : "; takes no part in E";
        out_ << line(unit, term.name, of_value(term, unit), term.exponent,
                     sum.E && draws ? row(term.value, grid, term.lsb) : "", note, width);
    }

    void print_result(const explain::Sum& sum, std::size_t unit, const Grid& grid, bool draws, std::size_t width) {
        const std::optional<int> last = lowest_lsb(sum);
        out_ << line(unit, sum.name, sum.value.text(), std::nullopt, draws ? row(sum.value, grid, last) : "",
                     sum.ones.empty() ? "" : fmt::format("{} inverted", counted(sum.ones.size(), "term")), width);
        if (sum.result != sum.value)
            out_ << line(unit, "held", sum.result.text(), std::nullopt, draws ? row(sum.result, grid, last) : "",
                         "the register wraps", width);
    }

    std::string line(std::size_t unit, const std::string& name, const std::string& value, std::optional<int> exponent,
                     const std::string& bits, const std::string& note, std::size_t width) const {
        std::string text = fmt::format("    {}{:<4} {:<{}}  {:>6}  {}", prefix(unit), name, value, width,
                                       exponent ? fmt::format("2^{}", *exponent) : "", bits);
        while (!text.empty() && text.back() == ' ') text.pop_back();
        return note.empty() ? text + '\n' : text + "   " + note + '\n';
    }

    void print_rounding(std::size_t block, std::size_t step) {
        for (std::size_t u = 0; u < all_.units.size(); ++u) {
            const auto* round = std::get_if<explain::RoundStep>(&all_.units[u].trace.blocks[block].steps[step]);
            if (round == nullptr) continue;
            const Format& f = format(round->rule.format);
            out_ << fmt::format("  {}{}: {} rounded to {} ({}) is {}\n", prefix(u), round->name, round->operand.text(),
                                f.name, name(round->rule.mode), described(f, round->bits));
        }
    }

    const Explanation& all_;
    Shape shape_;
    const Colours& colours_;
    std::ostream& out_;
};

} // namespace

void print_text(const Explanation& all, const Colours& colours, std::ostream& out) { Text(all, colours, out).print(); }

} // namespace discern::cli
