// Independent pieces of work on several threads. All threads for work that is divided into pieces beforehand start
// here. (Products have a barrier between their pieces, and solvers stop each other; these make their own.)
//
// For results that do not depend on the number of threads, the caller gives each piece its own storage and, if it draws
// random numbers, its own stream, and puts the pieces together in their order.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace discern {

/// Up to so many threads that do it, beside the caller: fewer where no more are to be had (`ulimit -u`, a container's
/// limit of processes), so the caller takes part in what all of them share.
template <class Work>
std::vector<std::jthread> helpers(std::size_t most, const Work& work) {
    std::vector<std::jthread> threads;
    threads.reserve(most);
    try {
        while (threads.size() < most) threads.emplace_back(work);
    } catch (const std::system_error&) { // those that there are do it all
    }
    return threads;
}

/// Calls work(i) for i = 0 … count−1, in about that order, on as many threads, the caller's among them. After an
/// exception no more are begun. @param threads  0: as many as the machine has
/// @throws whatever a call throws: of several, what the first of them in time has thrown
template <class Work>
void for_each_index(unsigned threads, std::size_t count, const Work& work) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto on_thread = [&] {
        try {
            for (std::size_t i; (i = next++) < count;) work(i);
        } catch (...) {
            const std::scoped_lock lock(mutex);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    {
        const std::size_t wanted = threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
        const std::vector<std::jthread> others =
            helpers(std::min(wanted, std::max<std::size_t>(count, 1)) - 1, on_thread);
        on_thread();
    }
    if (failure) std::rethrow_exception(failure);
}

} // namespace discern
