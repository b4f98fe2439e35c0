// Lines of text divided into cells, as spreadsheets and programs write them. Between our own files.
#pragma once

#include "table.hpp"

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace discern::import_cells {

struct Line {
    std::uint64_t number = 0; ///< in the file, from 1
    std::vector<std::string> cells;
};

/// All lines that are neither empty nor comments. The separator is the one that the first of them has: a semicolon, a
/// tab or a comma, outside of quotes. @throws Error that names the line, where a quote is not closed
std::vector<Line> read_lines(std::istream& in, const std::string& file, const ReadingProgress& progress = nullptr);

/// The words of a cell, between blanks, commas and semicolons; brackets around all of them do not count.
std::vector<std::string> words(std::string_view cell);

std::vector<std::string> split(std::string_view text, char separator);

} // namespace discern::import_cells
