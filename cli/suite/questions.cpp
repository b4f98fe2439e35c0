// The questions to put to silicon: for each open point vectors on which its readings differ. See report.hpp.
#include "models/catalogue.hpp"
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"
#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <sstream>
#include <utility>

namespace discern::cli {

namespace {

constexpr std::string_view command = "discern suite --questions --write generated/questions";

/// A class of readings, by their numbers from 1: "1 2".
std::string reading_numbers(const std::vector<std::size_t>& readings) {
    std::string text;
    for (const std::size_t reading : readings) text += sentence(text.empty() ? "" : " ", reading + 1);
    return text;
}

std::string vectors_text(const OpenPoint& point, const Suite& suite, std::uint64_t seed) {
    Header header;
    header.shape = suite.shape;
    header.unit = point.unit;
    header.other.emplace_back("point", json_string(point.point));
    Json readings = Json::array();
    for (std::size_t i = 0; i < point.readings.size(); ++i)
        readings.push_back({{"unit", unit_text(point, i)}, {"meaning", point.readings[i].meaning}});
    header.other.emplace_back("readings", to_text(readings));
    header.other.emplace_back("classes", to_text(suite.classes)); // of readings, counted from 0, in the order of d
    std::ostringstream out;
    write_vectors(out, suite, std::move(header), command, seed);
    return out.str();
}

std::string section(const OpenPoint& point, const Suite& suite) {
    const Format& d = format(suite.shape.d);
    std::string text =
        fmt::format("## {}\n\n{}, of `{}`.\n\n| reading | d |\n|---|---|\n", point.name, point.point, point.unit);
    for (std::size_t i = 0; i < point.readings.size(); ++i) {
        std::string results;
        for (const Vector& v : suite.vectors)
            results += (results.empty() ? "`" : ", `") + to_hex(d, v.d[suite.class_of[i]]) + "`";
        text += fmt::format("| {}. {} | {} |\n", i + 1, point.readings[i].meaning, results);
    }
    for (const auto& readings : suite.classes)
        if (readings.size() > 1)
            text += fmt::format("\nProved: no vector tells the readings {} apart.\n", reading_numbers(readings));
    for (const auto& [one, other] : suite.open)
        text += fmt::format("\nUnknown: whether a vector tells {} from {}.\n", reading_numbers(suite.classes[one]),
                            reading_numbers(suite.classes[other]));
    if (!point.settled.empty()) text += fmt::format("\nSettled by {}.\n", point.settled);
    if (!suite.vectors.empty()) text += fmt::format("\nVectors: [{0}.jsonl]({0}.jsonl)\n", point.name);
    return text + "\n";
}

} // namespace

std::vector<Suite> question_suites(const SuiteOptions& options) {
    const Limit limit = Limit::after(options.timeout, options.solving.stop);
    const std::span<const OpenPoint> points = open_points();
    std::vector<Suite> suites(points.size());
    // Each has an equal part of the time that is left, so that a question that takes long leaves time for the others.
    const auto ask = [&](const std::vector<std::size_t>& these) {
        for (std::size_t i = 0; i < these.size(); ++i) {
            const OpenPoint& point = points[these[i]];
            std::vector<Member> readings;
            for (std::size_t r = 0; r < point.readings.size(); ++r) {
                const std::string text = unit_text(point, r);
                readings.push_back({text, resolve_unit(text)});
            }
            SuiteOptions rest = options;
            rest.timeout = std::max(limit.seconds_left(), 0.0) / static_cast<double>(these.size() - i);
            Suite suite = make_suites(readings, rest).front();
            Suite& known = suites[these[i]];
            if (known.units.empty() || suite.open_pairs() <= known.open_pairs()) known = std::move(suite);
        }
    };
    std::vector<std::size_t> these(points.size());
    std::iota(these.begin(), these.end(), std::size_t{0});
    ask(these);
    // What did not come to an end has the time that the others left over.
    std::erase_if(these, [&](std::size_t point) { return !suites[point].interrupted; });
    if (!limit.reached()) ask(these);
    return suites;
}

std::size_t write_questions(const std::string& folder, std::span<const Suite> suites, std::uint64_t seed,
                            const Streams& io) {
    std::string text =
        "# Questions to silicon\n\n"
        "What is open about the units of the catalogue, or was until a GPU answered, and the vectors whose results "
        "decide\n"
        "it: run a file on the hardware (`discern run TARGET FILE`), and find the results in the table. `discern tell\n"
        "TARGET` does this for all questions about a target, and says what is settled (docs/report-your-gpu.md). The "
        "header "
        "of a file has the\n"
        "readings, and in `classes` which of them the results in each `d` belong to. All files of this folder are\n"
        "written by\n\n    " +
        std::string(command) +
        "\n\nNot here: infinite c in scaled units with groups, whose other reading is no unit of the notation.\n\n";
    std::size_t files = 1, at = 0;
    for (const OpenPoint& point : open_points()) {
        const Suite& suite = suites[at++];
        text += section(point, suite);
        if (suite.vectors.empty()) continue;
        write_whole_file(folder, std::string(point.name) + ".jsonl", vectors_text(point, suite, seed), io);
        ++files;
    }
    write_whole_file(folder, "README.md", text.substr(0, text.size() - 1), io);
    return files;
}

} // namespace discern::cli
