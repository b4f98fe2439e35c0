#include "interrupt.hpp"

#include "hwrunner/process/at_signal.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <unistd.h>

namespace discern::cli {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
constexpr std::array<int, 3> asking_to_stop = {SIGINT, SIGTERM, SIGHUP};
constexpr milliseconds look_every{20};
constexpr milliseconds patience{1500};      ///< after a signal
constexpr milliseconds grace{200};          ///< after the time limit, for code that checks the clock itself
constexpr milliseconds patience_late{1700}; ///< after the end of the time
constexpr double longest = 3e7;             ///< seconds; beyond a year there is no limit, and no overflow

// All that a signal handler may touch. A process has one set of signal handlers, so this cannot be the member of an
// object.
std::atomic<int> signals_seen = 0;
static_assert(std::atomic<int>::is_always_lock_free);

[[noreturn]] void end_process(std::string_view why) {
    clean_up_at_signal();
    [[maybe_unused]] const auto ignored = write(STDERR_FILENO, why.data(), why.size());
    _exit(status::unknown);
}

void on_signal(int) {
    if (signals_seen.fetch_add(1) > 0) end_process("");
}

} // namespace

struct Interrupt::State {
    std::stop_source source;
    std::atomic<bool> work_is_done = false;
    const Host* host = nullptr;
    std::array<struct sigaction, asking_to_stop.size()> before{};
    std::mutex mutex; ///< of what follows
    std::string known = "nothing is known";
    std::function<void()> clean_up;
    std::condition_variable_any wake;
    std::jthread watcher; ///< last, so that it ends first

    bool requested() const { return host != nullptr ? host->stop.stop_requested() : signals_seen > 0; }

    void watch(const std::stop_token& done, Clock::time_point end, bool owns_process) {
        std::unique_lock lock(mutex);
        Clock::time_point last = Clock::time_point::max();
        while (!done.stop_requested()) {
            const auto now = Clock::now();
            if (!source.stop_requested()) {
                if (requested()) last = now + patience;
                if (end != Clock::time_point::max() && now >= end + grace) last = std::min(last, end + patience_late);
                if (last != Clock::time_point::max()) source.request_stop();
            } else if (now >= last && owns_process && !work_is_done) {
                if (clean_up) clean_up();
                end_process(std::string("discern: ") + (signals_seen > 0 ? "interrupted" : "the time is over") +
                            "; the work did not stop, and " + known + "\n");
            }
#ifndef __EMSCRIPTEN__
            wake.wait_for(lock, done, look_every, [] { return false; });
#endif
        }
    }
};

Interrupt::Interrupt(const Streams& io, double seconds) : state_(std::make_unique<State>()) {
    state_->host = io.host;
    if (io.host == nullptr) {
        signals_seen = 0;
        struct sigaction action {};
        action.sa_handler = on_signal;
        sigemptyset(&action.sa_mask);
        for (std::size_t i = 0; i < asking_to_stop.size(); ++i) {
            sigaction(asking_to_stop[i], &action, &state_->before[i]);
            const bool is_ignored = state_->before[i].sa_handler == SIG_IGN; // as nohup has it
            if (is_ignored && asking_to_stop[i] == SIGHUP) sigaction(SIGHUP, &state_->before[i], nullptr);
        }
    }
    const auto end =
        seconds < longest
            ? Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))
            : Clock::time_point::max();
#ifndef __EMSCRIPTEN__ // one thread: the work looks at the time itself, and is ended from outside
    state_->watcher = std::jthread([state = state_.get(), end, owns = io.owns_process](const std::stop_token& done) {
        state->watch(done, end, owns);
    });
#endif
}

Interrupt::~Interrupt() {
    if (state_->host != nullptr) return;
    for (std::size_t i = 0; i < asking_to_stop.size(); ++i) sigaction(asking_to_stop[i], &state_->before[i], nullptr);
}

std::stop_token Interrupt::token() const { return state_->source.get_token(); }
bool Interrupt::requested() const { return state_->requested(); }
void Interrupt::answer_is_known(std::string what, std::function<void()> clean_up) {
    const std::lock_guard lock(state_->mutex);
    state_->known = std::move(what);
    state_->clean_up = std::move(clean_up);
}
void Interrupt::work_is_done() { state_->work_is_done = true; }

} // namespace discern::cli
