#include "peer.hpp"

#include "hwrunner/process/seconds.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds one_wait{100};       ///< between two looks at the clock
constexpr milliseconds for_last_words{500}; ///< of a target that has closed its output

const std::string& with_good_options(const std::string& command, const TargetOptions& options) {
    if (!(options.answer_timeout > 0)) throw Error("--answer-timeout: must be a number of seconds above 0");
    return command;
}

} // namespace

PipePeer::PipePeer(const std::string& command, const TargetOptions& options, const std::string& header)
    : command_(with_good_options(command, options)), name_("the target " + excerpt(command, 60)),
      timeout_(std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(std::min(options.answer_timeout, longest_timeout)))),
      stop_(options.stop), child_(command), unsent_(header + "\n") {}

void PipePeer::require_alive() const {
    if (failure_.empty()) return;
    if (stop_.stop_requested()) throw Stopped(failure_);
    throw Error(failure_);
}

void PipePeer::send(std::string_view bytes) {
    if (2 * gone_ >= unsent_.size()) {
        unsent_.erase(0, gone_);
        gone_ = 0;
    }
    unsent_ += bytes;
}

bool PipePeer::talk(const Due& due) {
    if (stop_.stop_requested()) stop();
    if (child_.output_ended()) fail_dead(due);
    const Clock::duration since = Clock::now() - last_;
    if (since >= timeout_) fail_silent(due);
    const std::size_t had = received.size();
    std::string_view rest = unsent();
    child_.exchange(rest, received, std::min(std::chrono::ceil<milliseconds>(timeout_ - since), one_wait));
    const std::size_t gone = unsent_.size() - rest.size();
    const bool moved = received.size() != had || gone != gone_;
    gone_ = gone;
    return moved;
}

void PipePeer::fail(const std::string& text) {
    failure_ = text;
    child_.kill();
    throw Error(failure_);
}

void PipePeer::stop() {
    failure_ = name_ + " was stopped";
    child_.kill();
    throw Stopped(failure_);
}

void PipePeer::fail_dead(const Due& due) {
    const std::string how = child_.end(for_last_words);
    fail(sentence(name_, how.empty() ? " closed its output" : " ended with " + how, " after ",
                  counted(due.answered, "answer"), ", when ", due.what, " ", due.answered + 1, " was to be answered",
                  said(due.is_text ? received : std::string_view())));
}

void PipePeer::fail_silent(const Due& due) {
    child_.end(milliseconds(0)); // for what it complained of
    fail(sentence(name_, " gave no answer to ", due.what, " ", due.answered + 1, " within ",
                  in_seconds(std::chrono::duration<double>(timeout_).count()), " s (--answer-timeout)",
                  said(due.is_text ? received : std::string_view())));
}

std::string PipePeer::said(std::string_view rest) const {
    std::string text = child_.complaints();
    while (text.ends_with('\n')) text.pop_back();
    if (!rest.empty()) text += (text.empty() ? "" : "\n") + std::string(rest);
    if (text.empty()) return "; it said nothing else";
    constexpr std::size_t most = 400; // the last words are the ones that matter
    const bool cut = text.size() > most;
    return "; it said " + std::string(cut ? "… " : "") + excerpt(cut ? text.substr(text.size() - most) : text, most);
}

} // namespace discern
