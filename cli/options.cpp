#include "options.hpp"

#include "models/error.hpp"
#include "models/sentence.hpp"

namespace discern::cli {

namespace {

std::string summary_of(std::string_view name) {
    for (const Command& command : commands())
        if (command.name == name) return std::string(command.summary);
    return "";
}

} // namespace

CommandLine::CommandLine(std::string_view name, std::string_view example)
    : CLI::App(summary_of(name), sentence("discern ", name)), name_(name) {
    footer(sentence("example:\n", example));
    get_formatter()->column_width(34);
}

std::optional<int> CommandLine::read(Arguments arguments, const Streams& io) {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend()); // the order that CLI11 wants
    try {
        parse(reversed);
    } catch (const CLI::CallForHelp&) {
        io.out << help();
        return status::done;
    } catch (const CLI::ParseError& error) {
        throw Error(sentence(name_, ": ", error.what(), "; 'discern ", name_, " --help' shows the usage"));
    }
    return std::nullopt;
}

std::string quoted_command(std::string_view name, Arguments arguments) {
    static constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";
    std::string text = sentence("discern ", name);
    for (const std::string& argument : arguments) {
        text += ' ';
        if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) {
            text += argument;
            continue;
        }
        text += '\'';
        for (const char character : argument) {
            if (character == '\'')
                text += "'\\''";
            else
                text += character;
        }
        text += '\'';
    }
    return text;
}

} // namespace discern::cli
