// Options in one way for every command: errors end with status 2, help with 0 and an example.
#pragma once

#include "command.hpp"

#include <CLI/CLI.hpp>

#include <optional>

namespace discern::cli {

class CommandLine : public CLI::App {
  public:
    /// @param name     of the command
    /// @param example  a command line, and below it what it does
    CommandLine(std::string_view name, std::string_view example);

    /// Reads the arguments. @return the exit status if that was all (help); nothing if the command is to be run
    /// @throws Error for a wrong usage
    std::optional<int> read(Arguments arguments, const Streams& io);

  private:
    std::string name_;
};

/// A command line that would run this again, for the header of what it writes.
std::string quoted_command(std::string_view name, Arguments arguments);

} // namespace discern::cli
