// The tables of a suite for a terminal. See report.hpp.
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"
#include "report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace discern::cli {

namespace {

// Larger ones are left to the page, the file of vectors and JSON.
constexpr std::size_t classes_shown = 16, most_names = 24, most_open = 20;

std::string names_of(const Suite& suite, const std::vector<std::size_t>& units) {
    std::string text;
    for (std::size_t i = 0; i < units.size() && i < most_names; ++i)
        text += (i == 0 ? "" : "\n       ") + suite.units.text(units[i]);
    if (units.size() > most_names) text += sentence("\n       … and ", units.size() - most_names, " more");
    return text;
}

void print_classes(std::ostream& out, const Suite& suite) {
    for (std::size_t c = 0; c < suite.classes.size() && c < classes_shown; ++c)
        out << fmt::format("  {:<4} {}\n", class_letter(c), names_of(suite, suite.classes[c]));
    if (suite.classes.size() > classes_shown)
        out << fmt::format("  … and {} more classes: --json and -o have all\n", suite.classes.size() - classes_shown);
}

void print_vectors(std::ostream& out, const Suite& suite) {
    const Format& d = format(suite.shape.d);
    const std::size_t classes = std::min(suite.classes.size(), classes_shown);
    out << "\n  results\n         ";
    for (std::size_t c = 0; c < classes; ++c) out << fmt::format(" {:<{}}", class_letter(c), d.digits());
    out << '\n';
    for (std::size_t v = 0; v < suite.vectors.size(); ++v) {
        out << fmt::format("  {:<6} ", v + 1);
        for (std::size_t c = 0; c < classes; ++c) out << ' ' << to_hex(d, suite.vectors[v].d[c]);
        out << '\n';
    }
}

void print_matrix(std::ostream& out, const Suite& suite) {
    out << "\n  the vector that separates two classes (= the same, ? unknown)\n       ";
    for (std::size_t c = 0; c < suite.classes.size(); ++c) out << fmt::format(" {:<3}", class_letter(c));
    out << '\n';
    for (std::size_t i = 0; i < suite.classes.size(); ++i) {
        out << fmt::format("  {:<4} ", class_letter(i));
        for (std::size_t j = 0; j < suite.classes.size(); ++j) out << fmt::format(" {:<3}", cell(suite, i, j));
        out << '\n';
    }
}

} // namespace

std::string class_letter(std::size_t index) {
    std::string letters(1, static_cast<char>('A' + index % 26));
    while ((index /= 26) > 0) letters.insert(letters.begin(), static_cast<char>('A' + (--index % 26)));
    return letters;
}

std::string cell(const Suite& suite, std::size_t one, std::size_t other) {
    if (one == other) return "=";
    const std::pair<std::size_t, std::size_t> pair = std::minmax(one, other);
    if (std::binary_search(suite.equal.begin(), suite.equal.end(), pair)) return "≈";
    const auto vector = suite.separating(one, other);
    return vector ? std::to_string(*vector + 1) : "?";
}

std::string size_sentence(const Suite& suite) {
    const std::size_t size = suite.vectors.size();
    if (suite.classes.size() < 2) return "0: there is one class";
    if (size == suite.bound.vectors) return sentence(size, ", and no suite is smaller: ", suite.bound.reason);
    return sentence(size, suite.smallest_of_pool ? ", the fewest" : ", a small choice", " of the ", suite.pool,
                    " that were tried; no suite of any vectors is smaller than ", suite.bound.vectors, ": ",
                    suite.bound.reason);
}

void print_suite(std::ostream& out, const Suite& suite) {
    const std::size_t classes = suite.classes.size();
    out << fmt::format("{}: {}, {}\n", to_string(suite.shape), counted(suite.units.size(), "unit"),
                       classes == 1 ? "1 class" : sentence(classes, " classes"));
    print_classes(out, suite);
    out << "  vectors: " << size_sentence(suite) << '\n';
    if (!suite.by.empty()) out << fmt::format("  the same by {}\n", fmt::join(suite.by, "; "));
    if (!suite.vectors.empty()) {
        print_vectors(out, suite);
        if (classes <= classes_shown) print_matrix(out, suite);
    }
    for (std::size_t i = 0; i < suite.open.size() && i < most_open; ++i) {
        const auto& [one, other] = suite.open[i];
        out << fmt::format("  open: {} ({}) and {} ({})\n", class_letter(one),
                           suite.units.text(suite.classes[one].front()), class_letter(other),
                           suite.units.text(suite.classes[other].front()));
    }
    if (suite.open.size() > most_open) out << fmt::format("  … and {} more open\n", suite.open.size() - most_open);
    for (const auto& list : suite.undecided)
        out << fmt::format("  open: each two of {} classes, of which the first is {} ({})\n", list.size(),
                           class_letter(list.front()), suite.units.text(suite.classes[list.front()].front()));
    for (const auto& [one, other] : suite.equal)
        out << fmt::format("  proved equal, as a NaN of one may be any: {} and {}\n", class_letter(one),
                           class_letter(other));
    out << '\n';
}

} // namespace discern::cli
