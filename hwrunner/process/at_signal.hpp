// Clean-up when a signal ends this program: children are killed, unfinished files removed.
//
// Destructors do not run then, and little may be called, so both are written down where a signal handler finds them.
#pragma once

#include <csignal>
#include <string>
#include <utility>

#include <sys/types.h>

namespace discern {

/// A slot of a table that a signal handler reads, empty again when the object ends.
template <void (*Empty)(int slot)>
class SlotAtSignal {
  public:
    SlotAtSignal() = default;
    ~SlotAtSignal() {
        if (slot_ >= 0) Empty(slot_);
    }
    SlotAtSignal(SlotAtSignal&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}
    SlotAtSignal& operator=(SlotAtSignal&& other) noexcept {
        std::swap(slot_, other.slot_);
        return *this;
    }

  protected:
    int slot_ = -1;
};

void empty_group(int slot);
void empty_path(int slot);

/// While it lives, clean_up_at_signal() kills the process group.
class KilledAtSignal : public SlotAtSignal<empty_group> {
  public:
    KilledAtSignal() = default;
    explicit KilledAtSignal(pid_t group);
};

/// While it lives, clean_up_at_signal() removes the file. A name that is longer than 4095 bytes is not removed.
class RemovedAtSignal : public SlotAtSignal<empty_path> {
  public:
    RemovedAtSignal() = default;
    explicit RemovedAtSignal(const std::string& path);
};

/// While it lives, something is being made that is then written down, as a process or a file: no signal is taken in
/// this thread, and a handler in another one waits a moment for it.
class WritingDown {
  public:
    WritingDown();
    ~WritingDown();
    WritingDown(const WritingDown&) = delete;
    WritingDown& operator=(const WritingDown&) = delete;
    /// The signals that were blocked before.
    const sigset_t& mask_before() const { return before_; }

  private:
    sigset_t before_{};
};

/// Kills and removes all that is written down. May be called in a signal handler, by a program that is about to end.
void clean_up_at_signal() noexcept;

/// Makes SIGINT, SIGTERM and SIGHUP clean up before they end the program, unless they are ignored.
void clean_up_when_signals_end_us();

} // namespace discern
