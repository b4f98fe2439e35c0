// Work that goes through many things in stages, as a table that is read and written: it says how far it is, and Ctrl-C
// ends it with the count.
#pragma once

#include "interrupt.hpp"
#include "progress.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace discern::cli {

/// One for a command; it catches signals while it lives.
class Stages {
  public:
    /// Ends the work after a signal. A command that lets it pass has said what is to be said: see `ended`.
    struct Interrupted {};

    explicit Stages(const Streams& io, double seconds = std::numeric_limits<double>::infinity())
        : io_(io), interrupt_(io, seconds) {}

    /// @param what  the stage, as "reading lines"; another one counts anew
    /// @param of    how many there are in all; 0: not known
    /// @throws Interrupted after a signal
    void at(std::string_view what, std::uint64_t done, std::uint64_t of = 0) {
        if (!counter_ || what != what_) {
            what_ = what;
            of_ = of;
            counter_.emplace(io_, what_, of);
        }
        done_ = done;
        require_going_on();
        counter_->at(done);
    }
    /// The work is done. @throws Interrupted after a signal: what is read from a file after one may be a part of it
    void end() {
        require_going_on();
        counter_.reset();
    }
    /// Says where the work was ended, and returns the exit status of that.
    int ended() {
        counter_.reset();
        const bool time_is_over = interrupt_.stopped() && !interrupt_.requested();
        io_.err << "discern: " << (time_is_over ? interrupt_.reason() : "interrupted") << "; " << what_ << ": "
                << done_;
        if (of_ > 0) io_.err << " of " << of_;
        io_.err << '\n';
        return status::unknown;
    }

  private:
    void require_going_on() const {
        if (interrupt_.stopped()) throw Interrupted();
    }

    const Streams& io_;
    Interrupt interrupt_;
    std::string what_ = "nothing is done yet";
    std::uint64_t done_ = 0, of_ = 0;
    std::optional<Counter> counter_;
};

} // namespace discern::cli
