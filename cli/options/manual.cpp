#include "manual.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace discern::cli {

namespace {

/// Text of roff: hyphens that are typed, and no line that begins with a control character.
std::string roff(std::string_view text) {
    std::string page;
    for (const char c : text) {
        if (c == '\\')
            page += "\\e";
        else if (c == '-')
            page += "\\-";
        else if (c == '\n')
            page += "\n.br\n";
        else if ((c == '.' || c == '\'') && (page.empty() || page.back() == '\n'))
            page += sentence("\\&", std::string(1, c));
        else
            page += c;
    }
    return page;
}

std::string single_quoted(std::string_view text) {
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return word + "'";
}

std::string bash_completions() {
    std::string names, cases;
    for (const Command& command : commands()) {
        if (command.run == nullptr) continue;
        names += sentence(names.empty() ? "" : " ", command.name);
        std::string words;
        for (const DescribedOption& option : options_of(command))
            if (!option.is_argument())
                for (const std::string& name : option.names) words += (words.empty() ? "" : " ") + name;
        cases += fmt::format("    {}) words='{}' ;;\n", command.name, words);
    }
    return fmt::format("# Completions of discern for bash: source this, or put it into bash_completion's folder.\n"
                       "_discern() {{\n"
                       "  local current=${{COMP_WORDS[COMP_CWORD]}} words=\n"
                       "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                       "    mapfile -t COMPREPLY < <(compgen -W '{} help --help --version' -- \"$current\")\n"
                       "    return\n"
                       "  fi\n"
                       "  case ${{COMP_WORDS[1]}} in\n"
                       "{}"
                       "  esac\n"
                       "  if [[ $current == -* ]]; then\n"
                       "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
                       "  else\n"
                       "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
                       "  fi\n"
                       "}}\n"
                       "complete -o filenames -F _discern discern\n",
                       names, cases);
}

std::string fish_completions() {
    std::string script = "# Completions of discern for fish.\n";
    for (const Command& command : commands()) {
        if (command.run == nullptr) continue;
        script += fmt::format("complete -c discern -n __fish_use_subcommand -a {} -d {}\n", command.name,
                              single_quoted(command.summary));
        for (const DescribedOption& option : options_of(command)) {
            if (option.is_argument()) continue;
            script += fmt::format("complete -c discern -n '__fish_seen_subcommand_from {}'", command.name);
            for (const std::string& name : option.names) {
                const bool is_long = name.starts_with("--");
                const char* const kind = is_long ? "-l" : "-s";
                script += fmt::format(" {} {}", kind, name.substr(is_long ? 2 : 1));
            }
            script += fmt::format("{} -d {}\n", option.value.empty() ? "" : " -r",
                                  single_quoted(option.text.substr(0, option.text.find('\n'))));
        }
    }
    return script;
}

/// A word of a list of _describe, where a colon ends the word, and of _arguments, where brackets end the text.
std::string for_zsh(std::string_view text) {
    std::string word;
    for (const char c : text.substr(0, text.find('\n'))) {
        if (c == ':' || c == '[' || c == ']' || c == '\\') word += '\\';
        word += c;
    }
    return single_quoted(word);
}

std::string zsh_completions() {
    std::string names, cases;
    for (const Command& command : commands()) {
        if (command.run == nullptr) continue;
        names += fmt::format("    {}\n", for_zsh(sentence(command.name, "\x01", command.summary)));
        cases += fmt::format("    {}) options=(\n", command.name);
        for (const DescribedOption& option : options_of(command)) {
            if (option.is_argument()) continue;
            for (const std::string& name : option.names)
                cases += fmt::format("        {}\n", for_zsh(sentence(name, "\x01", option.text)));
        }
        cases += "    ) ;;\n";
    }
    std::string script = fmt::format("#compdef discern\n"
                                     "# Completions of discern for zsh: put this as _discern into a folder of $fpath.\n"
                                     "local -a commands options\n"
                                     "if (( CURRENT == 2 )); then\n"
                                     "  commands=(\n{}  )\n"
                                     "  _describe command commands\n"
                                     "  return\n"
                                     "fi\n"
                                     "case $words[2] in\n{}esac\n"
                                     "if [[ $PREFIX == -* ]]; then\n"
                                     "  _describe option options\n"
                                     "else\n"
                                     "  _files\n"
                                     "fi\n",
                                     names, cases);
    std::replace(script.begin(), script.end(), '\x01', ':'); // the colons that do end words
    return script;
}

} // namespace

std::vector<DescribedOption> options_of(const Command& command) {
    std::istringstream in;
    std::ostringstream out, err;
    const std::vector<std::string> ask = {std::string(describe_word)};
    command.run(ask, {.in = in, .out = out, .err = err});
    std::vector<DescribedOption> options;
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);) {
        const auto object = nlohmann::json::parse(line);
        options.push_back({.names = object.at("names").get<std::vector<std::string>>(),
                           .value = object.at("value"),
                           .text = object.at("text")});
    }
    return options;
}

std::string manual_page(std::string_view version) {
    std::string page =
        fmt::format(".TH DISCERN 1 \"\" \"discern {}\" \"User Commands\"\n"
                    ".SH NAME\ndiscern \\- find inputs on which two matrix units differ, or prove that there are none\n"
                    ".SH SYNOPSIS\n.B discern\n.I COMMAND ARGUMENTS\n.SH COMMANDS\n",
                    version);
    for (const Command& command : commands()) {
        if (command.run == nullptr) continue;
        page += fmt::format(".SS discern {} {}\n{}\n", command.name, roff(command.usage), roff(command.summary));
        for (const DescribedOption& option : options_of(command)) {
            std::string names;
            for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + roff(name);
            page += fmt::format(".TP\n.B {}\n.I {}\n{}\n", names, roff(option.value), roff(option.text));
        }
    }
    page += ".SH EXIT STATUS\n0 same or done, 1 different or mismatches, 2 trouble, 3 unknown.\n";
    return page;
}

std::string completions(std::string_view shell) {
    if (shell == "bash") return bash_completions();
    if (shell == "fish") return fish_completions();
    if (shell == "zsh") return zsh_completions();
    throw Error(sentence("there are no completions for ", excerpt(shell), "; there are some for bash, fish and zsh"));
}

} // namespace discern::cli
