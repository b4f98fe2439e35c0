// A program that runs beside us and is talked to: written to and read from without ever waiting for it in vain.
#pragma once

#include "at_signal.hpp"

#include <chrono>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace discern {

/// `/bin/sh -c COMMAND` in a process group of its own, its three standard streams being pipes to us. What is left of
/// the group is killed at the end, also when a signal ends us (at_signal.hpp).
class ChildProcess {
  public:
    /// @param counts_unread  unread() is asked at its end
    /// @throws Error if it cannot be started
    explicit ChildProcess(const std::string& command, bool counts_unread = false);
    /// Ends its input, gives it a moment to end by itself, and kills what is still there.
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /// Waits at most that long until something can be read, or written if `more_input` is not empty, and does it: takes
    /// from the front of `more_input` what the pipe takes, appends to `output`.
    void exchange(std::string_view& more_input, std::string& output, std::chrono::milliseconds most);
    /// What it reads from its standard input comes to an end.
    void close_input();
    /// Whether it has closed its standard output.
    bool output_ended() const { return out_ < 0; }
    /// The last 2000 bytes of its standard error.
    const std::string& complaints() const { return complaints_; }
    /// Waits at most that long for its end. @return "exit status 3", "signal 9", or "" while it runs
    std::string end(std::chrono::milliseconds most);
    /// How many bytes of what was written to it nothing has read.
    std::size_t unread() const;
    /// Kills the group.
    void kill();

  private:
    void read_complaints();

    pid_t pid_ = -1;
    KilledAtSignal killed_at_signal_;
    int in_ = -1, out_ = -1, err_ = -1;
    int unread_ = -1; ///< the end of its standard input that it reads from
    bool reaped_ = false;
    int status_ = 0;
    std::string complaints_;
};

} // namespace discern
