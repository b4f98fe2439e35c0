// How help is laid out: options in groups, and lines that fit the terminal.
#pragma once

#include "cli/base/command.hpp"

#include <CLI/CLI.hpp>

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

/// The heading under which the help has an option.
std::string_view group_of_option(std::string_view name, std::string_view text);

/// CLI11's help with these groups and lines.
class HelpFormatter : public CLI::Formatter {
  public:
    explicit HelpFormatter(std::size_t width) : width_(width) { column_width(width < 100 ? 26 : 34); }
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
    std::string make_usage(const CLI::App* app, std::string name) const override;
    std::string make_option(const CLI::Option* option, bool is_positional) const override;
    std::string make_footer(const CLI::App* app) const override;

  private:
    std::size_t width_;
};

} // namespace discern::cli
