// One dot product, six answers, as a picture for the front page: the answers of the table, one a row, each with the
// units that give it. docs/six-answers.svg is what this writes; a test compares the two.
#include "published.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace discern::published {

namespace {

constexpr int width = 760, left = 92, row_height = 46, top = 96;
constexpr int bar_left = left, bar_width = 150; // of the answer −1

std::string text_at(int x, int y, const char* style, const std::string& text) {
    return "  <text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" class=\"" + style + "\">" + text +
           "</text>\n";
}

std::string number(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%g", std::abs(value));
    return (value < 0 ? "−" : "") + std::string(buffer);
}

/// The architectures of a row, with the formats of each: "Ampere fp16 bf16 tf32".
std::vector<std::string> subjects(const std::vector<std::string>& all) {
    std::vector<std::pair<std::string, std::string>> grouped;
    for (const std::string& subject : all) {
        const std::size_t space = subject.rfind(' ');
        const std::string architecture = subject.substr(0, space), format = subject.substr(space + 1);
        if (!grouped.empty() && grouped.back().first == architecture)
            grouped.back().second += " " + format;
        else
            grouped.emplace_back(architecture, format);
    }
    std::vector<std::string> texts;
    for (const auto& [architecture, formats] : grouped) texts.push_back(architecture + " " + formats);
    return texts;
}

/// Lines of at most so many characters.
std::vector<std::string> wrapped(const std::vector<std::string>& words, std::size_t most) {
    std::vector<std::string> lines;
    for (const std::string& word : words) {
        if (lines.empty() || lines.back().size() + word.size() + 2 > most)
            lines.push_back(word);
        else
            lines.back() += ", " + word;
    }
    return lines;
}

} // namespace

std::string picture() {
    std::map<double, std::vector<std::string>, std::greater<>> answers;
    for (const Result& result : divergence().results) answers[result.computed].push_back(result.subject);
    std::string rows;
    int y = top;
    for (const auto& [answer, units] : answers) {
        const bool exact = answer == -0.875;
        rows += text_at(left - 14, y + 18, exact ? "answer exact" : "answer", number(answer));
        const int length = static_cast<int>(std::lround(-answer * bar_width));
        rows += "  <rect x=\"" + std::to_string(bar_left) + "\" y=\"" + std::to_string(y + 4) + "\" width=\"" +
                std::to_string(std::max(length, 2)) + "\" height=\"18\" class=\"" + (exact ? "bar right" : "bar") +
                "\"/>\n";
        const auto lines = wrapped(subjects(units), 68);
        int line = y + 18;
        for (const std::string& text : lines) {
            rows += text_at(bar_left + bar_width + 20, line, "units", text);
            line += 18;
        }
        y += std::max(row_height, 18 * static_cast<int>(lines.size()) + 20);
    }
    const std::string size = std::to_string(width), height = std::to_string(y + 6);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + size + " " + height + "\" width=\"" + size +
           "\" role=\"img\" aria-label=\"One dot product, six answers\">\n"
           "  <style>\n"
           "    text { font-family: sans-serif; font-size: 13px; fill: #222; }\n"
           "    .title { font-size: 18px; font-weight: bold; }\n"
           "    .answer { font-size: 16px; text-anchor: end; }\n"
           "    .exact { font-weight: bold; }\n"
           "    .bar { fill: #b7c4d6; } .right { fill: #4a9a5b; }\n"
           "  </style>\n"
           "  <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n" +
           text_at(24, 34, "title", "One dot product, six answers") +
           text_at(24, 58, "units",
                   "2²³ − 2²³ − 0.5 − 0.25 − 0.125: every term is exact in every format. The sum is −0.875.") +
           text_at(24, 78, "units", "What current matrix units return instead:") + rows + "</svg>\n";
}

} // namespace discern::published
