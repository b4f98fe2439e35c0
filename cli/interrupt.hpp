// Ctrl-C during a long command: the work is asked to stop, and what is known is still printed.
#pragma once

#include <memory>
#include <stop_token>

namespace discern::cli {

/// While it lives, the first SIGINT or SIGTERM requests a stop. A second one, or work that has not stopped a few
/// seconds after the first (a solver that cannot be interrupted), ends the program at once with status 3, "unknown". At
/// most one may live.
class Interrupt {
  public:
    Interrupt();
    ~Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    std::stop_token token() const;
    bool requested() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace discern::cli
