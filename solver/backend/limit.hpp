// How long a question may take: a point in time, and a token by which others can stop it earlier.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <stop_token>

namespace discern {

struct Limit {
    using Clock = std::chrono::steady_clock;

    Clock::time_point end = Clock::time_point::max();
    std::stop_token stop;

    /// Until the end; negative after it.
    double seconds_left() const { return std::chrono::duration<double>(end - Clock::now()).count(); }
    bool reached() const { return stop.stop_requested() || Clock::now() >= end; }
    /// So many seconds, if there are so many left.
    Limit within(double seconds) const {
        Limit sooner = after(seconds, stop);
        sooner.end = std::min(sooner.end, end);
        return sooner;
    }
    /// A part of the time that is left, and no more than so many seconds.
    Limit share(double part, double longest = std::numeric_limits<double>::infinity()) const {
        return after(std::min(seconds_left() * part, longest), stop);
    }

    static Limit after(double seconds, std::stop_token token = {}) {
        const std::chrono::duration<double> time(seconds);
        // Beyond a year there is no limit, and no overflow.
        if (seconds > 3e7) return {Clock::time_point::max(), std::move(token)};
        return {Clock::now() + std::chrono::duration_cast<Clock::duration>(time), std::move(token)};
    }
};

/// Seconds since then.
inline double seconds_since(Limit::Clock::time_point start) {
    return std::chrono::duration<double>(Limit::Clock::now() - start).count();
}

} // namespace discern
