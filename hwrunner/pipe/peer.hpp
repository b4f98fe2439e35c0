// A program behind a pipe that answers what it is asked: what targets of lines and of whole products have in common.
//
// Neither side blocks the other: reading and writing happen when the pipes are ready, and a peer that is silent while
// it owes an answer is given up after a while. What it said on its standard error is quoted when it fails.
#pragma once

#include "hwrunner/kinds.hpp"
#include "hwrunner/process/child_process.hpp"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

namespace discern {

/// The questions that are answered, and how many answers came, for error messages.
struct Due {
    std::string_view what;      ///< "vector"
    std::uint64_t answered = 0; ///< the one that is due is the next
    bool is_text = true;        ///< what came instead of an answer is quoted
};

class PipePeer {
  public:
    /// Starts it. @param header  what it reads first, without a line end
    /// @throws Error if it cannot be started, or the options are none
    PipePeer(const std::string& command, const TargetOptions& options, const std::string& header);

    /// "the target './simulator --fast'"
    const std::string& name() const { return name_; }
    Identity identity() const { return {{"model", command_}}; }

    /// @throws Error, or Stopped, as before, if it has failed or was stopped
    void require_alive() const;
    /// An answer is due: the clock of --answer-timeout begins again.
    void owes() { last_ = Clock::now(); }
    /// Reads and writes what can be, waiting a little for it. @return whether anything was
    /// @throws Error if it has ended or is silent for too long, Stopped if it was to stop
    bool talk(const Due& due);
    /// Ends it all. @throws Error of that text, now and whenever it is asked again
    [[noreturn]] void fail(const std::string& text);
    /// What it said besides answers, as the end of a sentence. @param rest  what came as an answer and is none
    std::string said(std::string_view rest = {}) const;

    void send(std::string_view bytes);
    /// The data that were given to send and are not sent yet.
    std::string_view unsent() const { return std::string_view(unsent_).substr(gone_); }

    std::string received; ///< and not yet taken

  private:
    using Clock = std::chrono::steady_clock;

    [[noreturn]] void stop();
    [[noreturn]] void fail_dead(const Due& due);
    [[noreturn]] void fail_silent(const Due& due);

    std::string command_, name_;
    Clock::duration timeout_;
    std::stop_token stop_;
    ChildProcess child_;
    std::string unsent_;
    std::size_t gone_ = 0; ///< of these
    Clock::time_point last_ = Clock::now();
    std::string failure_;
};

} // namespace discern
