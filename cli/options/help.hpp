// How help is laid out: options in groups, and lines that fit the terminal.
#pragma once

#include "cli/base/command.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace discern::cli {

/// Columns for text: those of the terminal, 120 at most; 80 where the output is none.
std::size_t width_of_help(const Streams& io);

/// The text in lines of that width, of which all but the first begin with blanks. Line ends stay; a word that is longer
/// than a line has one of its own.
/// @param used  columns of the first line that are taken already
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t used);

} // namespace discern::cli
