// The manual page, the completions of shells and what others read, made from what the commands say of themselves.
#pragma once

#include "cli/base/command.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace discern::cli {

/// An option or an argument of a command, as its help has it.
struct DescribedOption {
    std::vector<std::string> names; ///< "-h", "--help"; of an argument one without hyphens
    std::string value;              ///< what it takes; empty: a flag
    std::string text;
    std::vector<std::string> choices{}; ///< words that are right, where they are few

    bool is_argument() const { return !names.front().starts_with('-'); }
};

/// What a command is asked with to print its options, an object of JSON a line.
inline constexpr std::string_view describe_word = "--describe-options";

/// @throws std::exception if the command has not understood the word
std::vector<DescribedOption> options_of(const Command& command);

/// The records of all commands, an object of JSON a line: what pages and tests are made from.
std::string describe_commands();
/// An entry of BibTeX for the program; CITATION.cff has the same.
std::string citation();
/// A page for man(1), in roff.
std::string manual_page();

/// What can be the next word of a command line, for the shells, which ask the program: `discern --complete WORDS`.
struct Completion {
    std::vector<std::string> words; ///< that begin as the last word does, whatever the case
    bool files = false;             ///< names of files are right, too
};

/// @param words  those behind "discern" up to the cursor; the last one is being typed and may be empty
Completion complete(const std::vector<std::string>& words);
/// A script for the shell, "bash", "fish" or "zsh". @throws Error that names these
std::string completions(std::string_view shell);

} // namespace discern::cli
