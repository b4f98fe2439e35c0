#include "interrupt.hpp"

#include "command.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include <unistd.h>

namespace discern::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto look_every = std::chrono::milliseconds(20);
constexpr auto patience = std::chrono::seconds(3);

// All that a signal handler may touch. A process has one set of signal handlers, so this cannot be anybody's member.
std::atomic<int> signals_seen = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int) {
    if (signals_seen.fetch_add(1) > 0) _exit(status::unknown);
}

} // namespace

struct Interrupt::State {
    std::stop_source source;
    struct sigaction before_int {
    }, before_term{};
    std::mutex mutex;
    std::condition_variable_any wake;
    std::jthread watcher; ///< last, so that it ends first
};

Interrupt::Interrupt() : state_(std::make_unique<State>()) {
    signals_seen = 0;
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &state_->before_int);
    sigaction(SIGTERM, &action, &state_->before_term);
    state_->watcher = std::jthread([state = state_.get()](const std::stop_token& done) {
        std::unique_lock lock(state->mutex);
        Clock::time_point asked{};
        while (!done.stop_requested()) {
            if (signals_seen > 0 && !state->source.stop_requested()) {
                state->source.request_stop();
                asked = Clock::now();
            }
            if (state->source.stop_requested() && Clock::now() - asked > patience) _exit(status::unknown);
            state->wake.wait_for(lock, done, look_every, [] { return false; });
        }
    });
}

Interrupt::~Interrupt() {
    sigaction(SIGINT, &state_->before_int, nullptr);
    sigaction(SIGTERM, &state_->before_term, nullptr);
}

std::stop_token Interrupt::token() const { return state_->source.get_token(); }
bool Interrupt::requested() const { return signals_seen > 0; }

} // namespace discern::cli
