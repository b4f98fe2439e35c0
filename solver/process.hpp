// A program run to its end: text in, text out, and a limit that really stops it and everything it started.
#pragma once

#include "limit.hpp"

#include <string>
#include <string_view>

namespace discern {

struct ProcessResult {
    std::string output;   ///< standard output
    std::string errors;   ///< standard error, its first 4096 bytes
    int status = 0;       ///< exit status; 128 + signal if a signal ended it
    bool stopped = false; ///< it was ended because the limit was reached
};

/// Runs `/bin/sh -c command` in a process group of its own with `input` on its standard input. When the limit is
/// reached, the group is killed. @throws Error if the process cannot be started
ProcessResult run_process(const std::string& command, std::string_view input, const Limit& limit);

/// Whether the first word of the command is a program: a path of one, or a name found in PATH.
bool is_program(std::string_view command);

} // namespace discern
