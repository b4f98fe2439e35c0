// Several attempts at one question side by side: the first that answers it ends all others.
//
// It is the same for units and for designs: what differs is what a solution is, and what the attempts do. Which attempt
// is first, and so which solution is found, may change from run to run; whether there is one does not, but for the
// limit.
#pragma once

#include "models/parallel.hpp"
#include "solver/backend/backend.hpp"
#include "solver/backend/limit.hpp"
#include "solver/question/cross_check.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace discern {

/// What one attempt did.
struct Attempt {
    std::string name; ///< "sat", "sat seed 1", "sat, b powers of two", "sweep"
    Outcome outcome = Outcome::unknown;
    double seconds = 0;
};

/// What attempts say of a question whose answer is that there is no solution, or one.
template <typename Found>
struct Asked {
    Outcome outcome = Outcome::unknown; ///< whether the results can differ
    std::optional<Found> solution;
    std::string by;                ///< the attempt that decided
    std::vector<Attempt> attempts; ///< all that were begun, in the order of their ends
    CrossCount cross;              ///< of the attempt that decided, or of all if none did
    std::set<std::string> facts;   ///< on which the terms rest that it was asked about (Terms::facts)
};

/// A way to answer.
template <typename Found>
struct Approach {
    std::string name;
    /// Its answer; what decided need not be named, and attempts only if there were several.
    std::function<Asked<Found>(const Limit&)> run;
    bool is_restricted = false; ///< to some of the inputs: unsat says nothing
};

/// @param threads  at most so many at a time, at least 1; the approaches are begun in their order
/// @throws whatever an approach throws, after all others have ended
template <typename Found>
Asked<Found> side_by_side(const std::vector<Approach<Found>>& approaches, unsigned threads, const Limit& limit) {
    std::mutex mutex; // of all below
    std::size_t next = 0;
    Asked<Found> result;
    std::exception_ptr failure;
    std::stop_source stop;
    const std::stop_callback forward(limit.stop, [&stop] { stop.request_stop(); });

    const auto take = [&](const Approach<Found>& approach, Asked<Found> asked, double seconds) {
        if (approach.is_restricted && asked.outcome == Outcome::unsat) asked.outcome = Outcome::unknown;
        const std::scoped_lock lock(mutex);
        if (approach.is_restricted || asked.attempts.size() < 2)
            asked.attempts = {{approach.name, asked.outcome, seconds}};
        result.attempts.insert(result.attempts.end(), asked.attempts.begin(), asked.attempts.end());
        if (result.outcome != Outcome::unknown) return;
        result.cross += asked.cross;
        if (asked.outcome == Outcome::unknown) return;
        result.cross = asked.cross;
        result.outcome = asked.outcome;
        result.solution = std::move(asked.solution);
        result.facts = std::move(asked.facts);
        result.by = approach.name;
        stop.request_stop();
    };
    const auto work = [&] {
        for (;;) {
            std::size_t mine = 0;
            {
                const std::scoped_lock lock(mutex);
                if (next == approaches.size() || stop.stop_requested() || limit.reached()) return;
                mine = next++;
            }
            try {
                const auto start = Limit::Clock::now();
                Asked<Found> asked = approaches[mine].run({limit.end, stop.get_token()});
                take(approaches[mine], std::move(asked), seconds_since(start));
            } catch (...) {
                const std::scoped_lock lock(mutex);
                failure = std::current_exception();
                stop.request_stop();
            }
        }
    };
    {
        const std::size_t wanted = std::min<std::size_t>(threads, approaches.size());
        const std::vector<std::jthread> workers = helpers(std::max<std::size_t>(wanted, 1) - 1, work);
        work();
    }
    if (failure) std::rethrow_exception(failure);
    return result;
}

} // namespace discern
