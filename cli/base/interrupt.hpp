// Ctrl-C during a long command, and the end of its time: the work is asked to stop, and what is known is still printed.
#pragma once

#include "command.hpp"

#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>

namespace discern::cli {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP requests a stop, and so does the end of the time. A second
/// signal, or work that has not stopped a moment after it should have (a solver that cannot be interrupted), ends the
/// program at once with status 3, "unknown", if the process is the command's own. At most one may live, or any number
/// where there is a host, which then stops the work instead of signals.
class Interrupt {
  public:
    /// @param seconds  from now; infinity: no limit
    explicit Interrupt(const Streams& io, double seconds = std::numeric_limits<double>::infinity());
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    std::stop_token token() const;
    /// Whether a signal came, or the host stopped the work.
    bool requested() const;
    /// Whether the work was to stop, for either reason.
    bool stopped() const { return token().stop_requested(); }
    /// "interrupted", or "the time is over".
    std::string reason() const { return requested() ? "interrupted" : "the time is over"; }
    /// An answer is known while the work goes on: what a process says that has to be ended, instead of "nothing is
    /// known".
    /// @param what      "the units are the same, and the certificate was not ready"
    /// @param clean_up  called before; not after a second signal
    void answer_is_known(std::string what, std::function<void()> clean_up = {});
    /// The work has ended, and what is left, printing, takes the time that it takes.
    void work_is_done();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace discern::cli
