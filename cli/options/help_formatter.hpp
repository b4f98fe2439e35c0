// The help of CLI11 in groups and in lines that fit. Of options.cpp and help.cpp alone: nothing else compiles CLI11.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>

namespace discern::cli {

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
