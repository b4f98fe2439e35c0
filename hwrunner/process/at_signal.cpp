#include "at_signal.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <ctime>

#include <unistd.h>

namespace discern {

namespace {

// All that a signal handler may touch. A process has one set of signal handlers, so this cannot be the member of an
// object.
constexpr std::size_t longest_path = 4096;
struct PathSlot {
    enum State : int { empty, being_written, written };
    std::atomic<int> state{empty};
    std::array<char, longest_path> path{};
};
std::array<std::atomic<pid_t>, 256> groups; ///< 0: empty
std::array<PathSlot, 32> paths;
std::atomic<int> starting = 0;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

constexpr std::array<int, 3> signals_that_end_us = {SIGINT, SIGTERM, SIGHUP};

void on_signal(int signal) {
    clean_up_at_signal();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

} // namespace

KilledAtSignal::KilledAtSignal(pid_t group) {
    for (std::size_t i = 0; i < groups.size() && slot_ < 0; ++i) {
        pid_t none = 0;
        if (groups[i].compare_exchange_strong(none, group)) slot_ = static_cast<int>(i);
    }
}
void empty_group(int slot) { groups[static_cast<std::size_t>(slot)] = 0; }

RemovedAtSignal::RemovedAtSignal(const std::string& path) {
    if (path.size() >= longest_path) return;
    for (std::size_t i = 0; i < paths.size() && slot_ < 0; ++i) {
        int state = PathSlot::empty;
        if (!paths[i].state.compare_exchange_strong(state, PathSlot::being_written)) continue;
        std::memcpy(paths[i].path.data(), path.c_str(), path.size() + 1);
        paths[i].state = PathSlot::written;
        slot_ = static_cast<int>(i);
    }
}
void empty_path(int slot) { paths[static_cast<std::size_t>(slot)].state = PathSlot::empty; }

WritingDown::WritingDown() {
    sigset_t ours;
    sigemptyset(&ours);
    for (const int signal : signals_that_end_us) sigaddset(&ours, signal);
    pthread_sigmask(SIG_BLOCK, &ours, &before_);
    ++starting;
}

WritingDown::~WritingDown() {
    --starting;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void clean_up_at_signal() noexcept {
    const timespec moment = {.tv_sec = 0, .tv_nsec = 1'000'000};
    for (int i = 0; i < 200 && starting > 0; ++i) nanosleep(&moment, nullptr);
    for (const auto& group : groups)
        if (const pid_t id = group; id > 0) ::kill(-id, SIGKILL);
    for (const PathSlot& slot : paths)
        if (slot.state == PathSlot::written) unlink(slot.path.data());
}

void clean_up_when_signals_end_us() {
    for (const int signal : signals_that_end_us)
        if (std::signal(signal, on_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
}

} // namespace discern
