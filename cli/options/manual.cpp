#include "manual.hpp"

#include "cli/base/json.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

// The shells ask the program what can follow: it alone knows the units. A line `:files` behind the words says that
// names of files are right, too.

constexpr std::string_view bash_script =
    R"(# Completions of discern for bash: source this, or put it into bash_completion's folder.
_discern() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_LINE:0:COMP_POINT} word files=
  local -a typed
  # bash parts words at = and :, which names of units and targets have.
  read -ra typed <<<"$before"
  [[ $before == *[[:space:]] ]] && typed+=('')
  local whole=${typed[-1]} cut=
  [[ $whole != "$current" && $whole == *"$current" ]] && cut=${whole%"$current"}
  [[ $current == [=:] ]] && { cut=$whole; current=; }
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ $word == :files ]]; then files=1; else COMPREPLY+=("${word:${#cut}}"); fi
  done < <("${typed[0]}" --complete "${typed[@]:1}" 2>/dev/null)
  if [[ $files ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
  fi
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _discern discern
)";

constexpr std::string_view fish_script = R"(# Completions of discern for fish.
function __discern_complete
  set -l typed (commandline -opc) (commandline -ct)
  for word in ($typed[1] --complete $typed[2..-1] 2>/dev/null)
    if test "$word" = :files
      __fish_complete_path (commandline -ct)
    else
      echo $word
    end
  end
end
complete -c discern -f -a '(__discern_complete)'
)";

constexpr std::string_view zsh_script = R"(#compdef discern
# Completions of discern for zsh: put this as _discern into a folder of $fpath.
_discern() {
  local -a offered
  local files
  offered=("${(@f)$("${words[1]}" --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if (( ${offered[(Ie):files]} )); then
    files=1
    offered=("${(@)offered:#:files}")
  fi
  offered=("${(@)offered:#}")
  compadd -M 'm:{a-zA-Z}={A-Za-z}' -S '' -a offered
  [[ -n $files ]] && _files
}
if [[ $funcstack[1] == _discern ]]; then _discern "$@"; else compdef _discern discern; fi
)";

} // namespace

std::vector<DescribedOption> options_of(const Command& command) {
    std::istringstream in;
    std::ostringstream out, err;
    const std::vector<std::string> ask = {std::string(describe_word)};
    command.run(command, ask, {.in = in, .out = out, .err = err});
    std::vector<DescribedOption> options;
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);) {
        const auto object = nlohmann::json::parse(line);
        options.push_back({.names = object.at("names").get<std::vector<std::string>>(),
                           .value = object.at("value"),
                           .text = object.at("text"),
                           .choices = object.value("choices", std::vector<std::string>())});
    }
    return options;
}

std::string describe_commands() {
    std::string lines;
    for (const Command& command : commands()) {
        if (command.run == nullptr) continue;
        Json schemas = Json::array();
        for (const std::string_view schema : command.docs.schemas)
            if (!schema.empty()) schemas.push_back(schema);
        lines += to_text({{"name", command.name},
                          {"usage", command.usage},
                          {"summary", command.summary},
                          {"example", command.example},
                          {"group", command.docs.group},
                          {"page", command.docs.page},
                          {"schemas", schemas},
                          {"in_python", command.docs.in_python}}) +
                 '\n';
    }
    return lines;
}

std::string citation() {
    return fmt::format("@software{{discern,\n"
                       "  title   = {{discern: test vectors and proofs for the matrix units of GPUs}},\n"
                       "  author  = {{{{The discern contributors}}}},\n"
                       "  version = {{{}}},\n"
                       "  year    = {{2026}},\n"
                       "  license = {{Apache-2.0}},\n"
                       "}}\n",
                       DISCERN_VERSION);
}

std::string manual_page() {
    std::string page =
        fmt::format(".TH DISCERN 1 \"\" \"discern {}\" \"User Commands\"\n"
                    ".SH NAME\ndiscern \\- find inputs on which two matrix units differ, or prove that there are none\n"
                    ".SH SYNOPSIS\n.B discern\n.I COMMAND ARGUMENTS\n.SH COMMANDS\n",
                    DISCERN_VERSION);
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
    if (shell == "bash") return std::string(bash_script);
    if (shell == "fish") return std::string(fish_script);
    if (shell == "zsh") return std::string(zsh_script);
    throw Error(sentence("there are no completions for ", excerpt(shell), "; there are some for bash, fish and zsh"));
}

} // namespace discern::cli
