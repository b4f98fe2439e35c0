// One line on a terminal that says what is being done; nothing where standard error is no terminal. A host shows it as
// it likes, if it wants it.
#pragma once

#include "command.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>

#include <unistd.h>

namespace discern::cli {

class Progress {
  public:
    explicit Progress(const Streams& io)
        : err_(io.err), wanted_(io.host != nullptr ? io.host->progress : isatty(STDERR_FILENO) == 1) {}

    bool is_wanted() const { return wanted_; }

    /// Replaces the line.
    void show(const std::string& what) {
        err_ << "\r\033[K" << what << " …" << std::flush;
        shown_ = true;
    }
    void clear() {
        if (shown_) err_ << "\r\033[K" << std::flush;
        shown_ = false;
    }

  private:
    std::ostream& err_;
    bool wanted_, shown_ = false;
};

/// How far work has come that goes on one thing after the other: "checking: 1200000 of 3000000, 4 s left". Nothing is
/// shown for the first second, nor where standard error is no terminal.
class Counter {
  public:
    /// @param what  the work, as "checking"
    /// @param of    how many there are in all; 0: not known
    Counter(const Streams& io, std::string what, std::uint64_t of = 0)
        : progress_(io), what_(std::move(what)), of_(of) {}
    ~Counter() { clear(); }
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;

    void at(std::uint64_t done) {
        if (!progress_.is_wanted()) return;
        const auto now = Clock::now();
        if (now < next_) return;
        next_ = now + std::chrono::milliseconds(200);
        progress_.show(text(done, std::chrono::duration<double>(now - start_).count()));
    }
    void clear() { progress_.clear(); }
    /// What is shown.
    std::string text(std::uint64_t done, double seconds) const {
        std::string text = what_ + ": " + std::to_string(done);
        if (of_ == 0) return text;
        text += " of " + std::to_string(of_);
        if (done == 0 || done > of_) return text;
        const double left = seconds * static_cast<double>(of_ - done) / static_cast<double>(done);
        return text + ", " + std::to_string(std::llround(left)) + " s left";
    }

  private:
    using Clock = std::chrono::steady_clock;
    Progress progress_;
    std::string what_;
    std::uint64_t of_;
    Clock::time_point start_ = Clock::now(), next_ = start_ + std::chrono::seconds(1);
};

} // namespace discern::cli
