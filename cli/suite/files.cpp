// The files of suites that are kept: vectors, matrices, and the table of all. See report.hpp.
#include "cli/files/files.hpp"
#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"
#include "report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <utility>

namespace discern::cli {

namespace {

constexpr std::string_view folder_command = "discern suite --all --write generated";
constexpr std::size_t most_classes = 64; ///< of a matrix in a document

std::string readme(std::span<const Suite> suites, const std::string& command) {
    std::string text =
        "# Suites of the catalogue\n\n"
        "For each operand signature (formats, scale blocks, K) of the catalogue the smallest set of vectors found "
        "that\n"
        "tells all of its arithmetics apart. All files of this folder are written by\n\n    " +
        command +
        "\n\n"
        "and by nothing else. A `.jsonl` file is a file of vectors (docs/vectors.md) whose header has the classes; "
        "the\n"
        "list `d` of a vector has the result of each class, in that order. The `.md` file beside it has the classes "
        "and\n"
        "the matrix. The bound is one for all vectors there are, not only for those that were tried.\n\n"
        "| signature | units | trees | classes | vectors | bound | open | file |\n|---|---|---|---|---|---|---|---|\n";
    for (const Suite& suite : suites) {
        const std::string stem = file_stem(suite.shape);
        text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} |\n", to_string(suite.shape), suite.units.size(),
                            suite.trees, suite.classes.size(), suite.vectors.size(), suite.bound.vectors,
                            suite.open_pairs(),
                            suite.vectors.empty() ? "one class" : fmt::format("[{}]({}.md)", stem, stem));
    }
    return text;
}

} // namespace

std::string file_stem(const Shape& shape) {
    std::string stem = sentence(format(shape.a).name, "-", format(shape.b).name);
    if (shape.c) stem += sentence("-", format(*shape.c).name);
    stem += sentence("-", format(shape.d).name, "-k", shape.K);
    if (shape.scale) stem += sentence("-", format(shape.scale->format).name, "-", shape.scale->block);
    return stem;
}

void write_vectors(std::ostream& out, const Suite& suite, const std::string& command, std::uint64_t seed,
                   const std::vector<std::string>& assumed) {
    Header header;
    header.shape = suite.shape;
    if (!assumed.empty()) header.other.emplace_back("assumed", to_text(Json(assumed)));
    header.other.emplace_back("classes", to_text(classes_of(suite)));
    write_vectors(out, suite, std::move(header), command, seed);
}

void write_vectors(std::ostream& out, const Suite& suite, Header header, std::string_view command, std::uint64_t seed) {
    if (!suite.settled())
        header.other.emplace_back("open", to_text(list_of(suite.open, [](const auto& pair) {
                                      return Json::array({pair.first, pair.second});
                                  })));
    header.other.emplace_back("command", json_string(command));
    header.other.emplace_back("seed", std::to_string(seed));
    VectorWriter writer(out, suite.shape, header);
    for (const Vector& v : suite.vectors) writer.write(v);
}

std::string suite_markdown(const Suite& suite) {
    const Format& d = format(suite.shape.d);
    const std::size_t classes = suite.classes.size();
    std::string text = "# " + to_string(suite.shape) + "\n\nVectors: " + size_sentence(suite) + ".\n\n## Classes\n\n" +
                       "Units of one class give the same result for all inputs.\n\n| class | units |\n|---|---|\n";
    for (std::size_t c = 0; c < classes; ++c) {
        std::string names;
        for (const std::size_t unit : suite.classes[c])
            names += (names.empty() ? "" : ", ") + ("`" + suite.units.text(unit) + "`");
        text += fmt::format("| {} | {} |\n", class_letter(c), names);
    }
    const auto head = [&](const std::string& first) {
        std::string row = "| " + first, rule = "|---";
        for (std::size_t c = 0; c < classes; ++c) {
            row += " | " + class_letter(c);
            rule += "|---";
        }
        return row + " |\n" + rule + "|\n";
    };
    if (suite.vectors.empty() || classes > most_classes) return text;
    text += "\n## Results\n\n" + head("vector");
    for (std::size_t v = 0; v < suite.vectors.size(); ++v) {
        text += sentence("| ", v + 1);
        for (std::size_t c = 0; c < classes; ++c) text += " | `" + to_hex(d, suite.vectors[v].d[c]) + "`";
        text += " |\n";
    }
    text +=
        "\n## Matrix\n\nThe first vector that separates two classes; `?`: unknown; `≈`: proved equal, as a NaN of one "
        "may be any.\n\n" +
        head("");
    for (std::size_t i = 0; i < classes; ++i) {
        text += "| " + class_letter(i);
        for (std::size_t j = 0; j < classes; ++j) text += " | " + cell(suite, i, j);
        text += " |\n";
    }
    return text;
}

void write_whole_file(const std::string& folder, const std::string& name, const std::string& text, const Streams& io) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) throw Error("cannot make the folder " + excerpt(folder, 200) + ": " + failed.message());
    write_file((std::filesystem::path(folder) / name).string(), io, [&](std::ostream& out) { out << text; });
}

std::size_t write_folder(const std::string& folder, std::span<const Suite> suites, std::uint64_t seed,
                         const Streams& io) {
    const std::string command = std::string(folder_command);
    std::size_t files = 1;
    for (const Suite& suite : suites) {
        if (suite.vectors.empty()) continue;
        const std::string stem = file_stem(suite.shape);
        std::ostringstream vectors;
        write_vectors(vectors, suite, command, seed);
        write_whole_file(folder, stem + ".jsonl", vectors.str(), io);
        write_whole_file(folder, stem + ".md", suite_markdown(suite), io);
        files += 2;
    }
    write_whole_file(folder, "README.md", readme(suites, command), io);
    return files;
}

} // namespace discern::cli
