// Reads a command line without running the command: the files that it names, its units, its options.
#pragma once

#include "cli/base/command.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace discern::cli {

/// The command's own words, as they are given to the program.
class ReportedCommand {
  public:
    /// @param words  perhaps with the program's name in front, as it is copied from a shell
    /// @throws Error if there is no such command, or it is bug-report
    explicit ReportedCommand(Arguments words);

    const std::vector<std::string>& words() const { return words_; }
    const std::string& name() const { return words_.front(); }
    /// As a shell's line.
    std::string text() const;
    /// The value of an option, `--seed 7` or `--seed=7`; empty if it is not there.
    std::string value_of(std::string_view option) const;
    bool has(std::string_view option) const;
    bool reads_standard_input() const;
    /// Files that are there now and that it names: by themselves, behind `rtl:`, `replay:` or `@`, in a list with
    /// commas. Not what it writes.
    std::vector<std::filesystem::path> files() const;
    /// Its units: as they are written, and the line of the notation; kernels written out where --K says how long.
    std::vector<std::pair<std::string, std::string>> units() const;
    /// Whether it asks about two units, and not about a design.
    bool is_about_two_units() const;
    /// Those of its options that limit the inputs, as `explain` and `smt2` do not all have them.
    std::vector<std::string> limits() const;
    /// The seed: as it is given, else the command's own; empty if it has none.
    std::string seed() const;

  private:
    std::vector<std::string> words_;
};

} // namespace discern::cli
