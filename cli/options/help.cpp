#include "help.hpp"

#include "cli/base/colour.hpp"
#include "help_formatter.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#ifndef __EMSCRIPTEN__
#include <sys/ioctl.h>
#include <unistd.h>
#endif

namespace discern::cli {

namespace {

constexpr std::size_t usual_width = 80, widest = 120, narrowest = 40;

/// How many columns a text takes: bytes that go on with a character of UTF-8 take none.
std::size_t columns(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

constexpr std::string_view others = "Options", designs = "Designs";

struct Heading {
    std::string_view name, options; ///< a blank before each option and after the last
};

constexpr auto headings = std::to_array<Heading>({
    {others, ""},
    {"Inputs", " --K --a --b --c --columns --d --digits --family --finite --formats --launch --no-subnormals --numbers "
               "--patterns --range --round --sa --sb --scale --seed --size --space --spread --unit --values -n "},
    {"Output", " --html --json --show --svg --table --text --verbose --wave -o "},
    {"Time and work", " --answer-timeout --question --solver --threads --timeout "},
    {designs, ""},
});

/// The heading under which the help has an option.
std::string_view group_of_option(std::string_view name, std::string_view text) {
    if (text.starts_with("of a design") || text.starts_with("of an accumulator with a clock")) return designs;
    const std::string word = sentence(" ", name, " ");
    for (const Heading& heading : headings)
        if (heading.options.find(word) != std::string_view::npos) return heading.name;
    return others;
}

} // namespace

std::size_t width_of_help(const Streams& io) {
#ifndef __EMSCRIPTEN__
    if (winsize size{}; is_terminal(io) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
        return std::clamp<std::size_t>(size.ws_col, narrowest, widest);
#else
    static_cast<void>(io);
#endif
    return usual_width;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t used) {
    std::string all;
    bool begins = true, is_pending = false; // a line begins; its blanks are due
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '\n') {
            all += '\n';
            used = indent;
            begins = is_pending = true;
            ++at;
            continue;
        }
        const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
        const std::string_view word = text.substr(at, end - at);
        if (!word.empty()) {
            if (!begins && used + 1 + columns(word) > width) {
                all += '\n' + std::string(indent, ' ');
                used = indent;
                begins = true;
            }
            if (!begins) {
                all += ' ';
                ++used;
            }
            if (std::exchange(is_pending, false)) all += std::string(indent, ' ');
            all += word;
            used += columns(word);
            begins = false;
        }
        at = end < text.size() && text[end] == ' ' ? end + 1 : end;
    }
    return all;
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
    const std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    return wrapped(usage, width_, 4, 0);
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
    std::string all =
        wrapped(make_description(app), width_, 0, 0) + make_usage(app, std::move(name)) + make_positionals(app);
    for (const Heading& heading : headings) {
        const std::vector<const CLI::Option*> own = app->get_options([&](const CLI::Option* option) {
            const std::string own_name =
                option->get_lnames().empty() ? option->get_name() : "--" + option->get_lnames().front();
            return option->nonpositional() && group_of_option(own_name, option->get_description()) == heading.name;
        });
        if (!own.empty()) all += make_group(std::string(heading.name), false, own);
    }
    return all + '\n' + make_footer(app);
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
    std::string names = "  " + make_option_name(option, is_positional) + make_option_opts(option);
    const std::size_t column = get_column_width(), taken = columns(names);
    if (taken > width_) { // the words of a list
        for (std::size_t at = 0; (at = names.find(',', at)) != std::string::npos; at += 2) names.insert(at + 1, " ");
        names = "  " + wrapped(names, width_, 6, 2);
    }
    const bool is_long = taken + 2 > column;
    std::string line = names + (is_long ? '\n' + std::string(column, ' ') : std::string(column - taken, ' '));
    return line + wrapped(make_option_desc(option), width_, column, column) + '\n';
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
    // Command lines stay whole, so that they can be copied; what is said of them is wrapped.
    std::string all;
    const std::string footer = CLI::Formatter::make_footer(app);
    for (std::size_t at = 0; at < footer.size();) {
        const std::size_t end = std::min(footer.find('\n', at), footer.size());
        const std::string line = footer.substr(at, end - at);
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        all += line.starts_with("  discern ")
                   ? line
                   : line.substr(0, indent) + wrapped(std::string_view(line).substr(indent), width_, indent, indent);
        if (end < footer.size()) all += '\n';
        at = end + 1;
    }
    return all;
}

} // namespace discern::cli
