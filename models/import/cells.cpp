#include "cells.hpp"

#include "models/bounds.hpp"
#include "models/error.hpp"
#include "models/unit/texts.hpp"

namespace discern::import_cells {

namespace {

constexpr std::string_view blanks = " \t\r\n\f\v";

std::string_view trimmed(std::string_view text) { return texts::trimmed(text, blanks); }

char separator_of(std::string_view line) {
    constexpr std::string_view separators = ";\t,";
    bool quoted = false;
    char found = ',';
    std::size_t rank = separators.size();
    for (const char c : line) {
        if (c == '"') quoted = !quoted;
        const std::size_t at = quoted ? std::string_view::npos : separators.find(c);
        if (at < rank) {
            rank = at;
            found = c;
        }
    }
    return found;
}

std::vector<std::string> cells_of(std::string_view line, char separator, const std::string& place) {
    std::vector<std::string> cells;
    std::size_t at = 0;
    while (true) {
        while (at < line.size() && line[at] != separator && blanks.find(line[at]) != std::string_view::npos) ++at;
        std::string cell;
        if (at < line.size() && line[at] == '"') {
            for (++at; at < line.size(); ++at) {
                if (line[at] != '"')
                    cell += line[at];
                else if (at + 1 < line.size() && line[at + 1] == '"')
                    cell += line[at++];
                else
                    break;
            }
            if (at >= line.size()) throw Error(place + "a quote is not closed");
            ++at;
            const std::size_t end = std::min(line.find(separator, at), line.size());
            if (!trimmed(line.substr(at, end - at)).empty())
                throw Error(place + "a cell goes on after its closing quote");
            at = end;
        } else {
            const std::size_t end = std::min(line.find(separator, at), line.size());
            cell = trimmed(line.substr(at, end - at));
            at = end;
        }
        cells.push_back(std::string(trimmed(cell)));
        if (at >= line.size()) return cells;
        ++at;
    }
}

} // namespace

std::vector<Line> read_lines(std::istream& in, const std::string& file, const ReadingProgress& progress) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    std::vector<Line> lines;
    std::string text;
    char separator = 0;
    for (std::uint64_t number = 1; next_line(in, text, sentence(file, ":", number, ": ")); ++number) {
        if (progress) progress("lines", number, 0);
        std::string_view line = text;
        if (number == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
        const std::string place = sentence(file, ":", number, ": ");
        const std::string_view content = trimmed(line);
        if (content.empty() || content.front() == '#' || content.front() == '%') continue;
        if (separator == 0) separator = separator_of(content);
        // A separator at the ends is a cell: only the line end and blanks that are none go.
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        lines.push_back({number, cells_of(line, separator, place)});
    }
    if (in.bad()) throw Error(file + " cannot be read any further");
    return lines;
}

std::vector<std::string> words(std::string_view cell) {
    cell = trimmed(cell);
    if (cell.size() > 1 && ((cell.front() == '[' && cell.back() == ']') || (cell.front() == '(' && cell.back() == ')')))
        cell = cell.substr(1, cell.size() - 2);
    const auto list = texts::words(cell, " \t,;");
    return {list.begin(), list.end()};
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (const std::string_view part : texts::split(text, separator)) parts.emplace_back(trimmed(part));
    return parts;
}

} // namespace discern::import_cells
