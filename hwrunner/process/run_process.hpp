// A program run to its end: text in, text out, and a deadline that really stops it and everything it started.
#pragma once

#include "models/error.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace discern {

/// The time was over before a program that was asked gave its answer: nothing is wrong, and nothing is known.
class OutOfTime : public Error {
  public:
    using Error::Error;
};

struct ProcessResult {
    std::string output;   ///< standard output
    std::string errors;   ///< the end of its standard error
    std::string ended;    ///< "exit status 3", "signal 9"; empty if it was stopped
    bool stopped = false; ///< it was killed because it had to stop
    bool read_all = true; ///< it has read its standard input to the last byte

    /// Whether it ended by itself and said that all went well.
    bool succeeded() const { return ended == "exit status 0"; }
};

/// Runs `/bin/sh -c command` with `input` on its standard input.
/// @param must_stop  asked some fifty times a second; once it says so, the process and all that it started are killed
/// @throws Error if the process cannot be started, or writes more than is read (models/bounds.hpp)
ProcessResult run_process(const std::string& command, std::string_view input, const std::function<bool()>& must_stop);

/// Whether the first word of the command is a program: a path of one, or a name found in PATH.
bool is_program(std::string_view command);

} // namespace discern
