#include "options.hpp"

#include "cli/base/json.hpp"
#include "help.hpp"
#include "help_formatter.hpp"
#include "manual.hpp"
#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace discern::cli {

struct CommandLine::Parser : CLI::App {
    using CLI::App::App;
    std::map<std::string, std::vector<std::string>> choices; ///< by the option's name
};

CommandLine::CommandLine(const Command& command)
    : name_(command.name),
      parser_(std::make_unique<Parser>(std::string(command.summary), sentence("discern ", command.name))) {
    parser_->footer(sentence("example:\n", command.example));
}

CommandLine::~CommandLine() = default;

Option Option::required() { return option_->required(); }
Option Option::type_name(const std::string& name) { return option_->type_name(name); }
Option Option::one_each_time() { return option_->allow_extra_args(false); }
Option Option::value_is_optional() { return option_->expected(0, 1); }
Option Option::check(std::function<std::string(const std::string&)> why_not) {
    return option_->check(std::move(why_not));
}
Option Option::one_of(const std::vector<std::string>& values) { return option_->check(CLI::IsMember(values)); }
Option Option::excludes(const Option& other) { return option_->excludes(other.option_); }

Option CommandLine::add_option(const std::string& name, std::string& value, std::string_view text) {
    return parser_->add_option(name, value, std::string(text));
}

Option CommandLine::add_option(const std::string& name, std::vector<std::string>& values, std::string_view text) {
    return parser_->add_option(name, values, std::string(text));
}

Option CommandLine::add_flag(const std::string& name, bool& value, std::string_view text) {
    return parser_->add_flag(name, value, std::string(text));
}

Option CommandLine::add_number(std::string_view name, const char* value, const std::string& text,
                               std::function<void(const std::string&)> read) {
    const std::string own(name);
    const auto checked = [own, read = std::move(read)](const std::string& word) {
        try {
            read(word);
        } catch (const Error& error) {
            throw CLI::ValidationError(own, error.what());
        }
    };
    return parser_->add_option_function<std::string>(own, checked, text)->type_name(value);
}

Option CommandLine::add_seconds(std::string_view name, double& value, std::string_view text, bool may_be_zero) {
    return add_number(name, "SECONDS", with_default(text, std::isinf(value) ? "no limit" : fmt::format("{}", value)),
                      [&value, may_be_zero](const std::string& word) { value = require_seconds(word, may_be_zero); });
}

Option CommandLine::add_real(std::string_view name, double& value, std::string_view text) {
    return add_number(name, "X", with_default(text, fmt::format("{}", value)),
                      [&value](const std::string& word) { value = require_real(word); });
}

bool CommandLine::was_given(const std::string& name) const { return parser_->count(name) > 0; }

std::string CommandLine::with_default(std::string_view text, const std::string& value) {
    return value.empty() ? std::string(text) : sentence(text, " (", value, ")");
}

std::string CommandLine::full_text(const SharedOption& option, std::string_view remark) {
    return remark.empty() ? std::string(option.text) : sentence(option.text, "; ", remark);
}

void CommandLine::require_kind(const SharedOption& option, Takes kind) {
    if (option.takes != kind) throw std::logic_error(sentence("option ", option.name, " takes another kind of value"));
}

void CommandLine::offer(const std::string& name, std::vector<std::string> values) {
    parser_->choices[parser_->get_option(name)->get_name()] = std::move(values);
}

/// For the first word that is no option, though it looks like one.
std::string CommandLine::nearest_option(const std::vector<std::string>& unexpected) const {
    std::vector<std::string> names;
    for (const CLI::Option* option : parser_->get_options())
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (auto word = unexpected.rbegin(); word != unexpected.rend(); ++word) {
        const std::string name = word->substr(0, word->find('='));
        if (name.starts_with("--") && std::ranges::find(names, name) == names.end()) return did_you_mean(name, names);
    }
    return "";
}

std::optional<int> CommandLine::read(Arguments arguments, const Streams& io) {
    if (arguments.size() == 1 && arguments.front() == describe_word) {
        for (const CLI::Option* option : parser_->get_options()) {
            Json names = Json::array();
            for (const std::string& name : option->get_snames()) names.push_back("-" + name);
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
            if (names.empty()) names.push_back(option->get_name(true));
            const bool takes_value = option->get_items_expected_max() > 0;
            const auto choices = parser_->choices.find(option->get_name());
            print_line(io.out,
                       {{"names", names},
                        {"value", takes_value ? option->get_type_name() : ""},
                        {"text", option->get_description()},
                        {"choices", choices == parser_->choices.end() ? Json::array() : Json(choices->second)}});
        }
        return status::done;
    }
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend()); // the order that CLI11 wants
    try {
        parser_->parse(reversed);
    } catch (const CLI::CallForHelp&) {
        parser_->formatter(std::make_shared<HelpFormatter>(width_of_help(io)));
        io.out << parser_->help();
        return status::done;
    } catch (const CLI::ExtrasError& error) {
        throw Error(sentence(name_, ": ", error.what(), nearest_option(reversed), "; 'discern ", name_,
                             " --help' shows the usage"));
    } catch (const CLI::ParseError& error) {
        throw Error(sentence(name_, ": ", error.what(), "; 'discern ", name_, " --help' shows the usage"));
    }
    return std::nullopt;
}

std::string quoted_word(const std::string& word) {
    static constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string text = "'";
    for (const char character : word) text += character == '\'' ? "'\\''" : std::string(1, character);
    return text + '\'';
}

std::string quoted_command(std::string_view name, Arguments arguments) {
    std::string text = sentence("discern ", name);
    for (const std::string& argument : arguments) text += ' ' + quoted_word(argument);
    return text;
}

} // namespace discern::cli
