#include "child_process.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace discern {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t most_complaints = 2000;
constexpr milliseconds moment_to_end{500}, moment_to_die{5000};
constexpr milliseconds between_looks{5};

void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
}

/// The two ends of a pipe, closed with the object unless taken; closed in programs that are started.
struct Pipe {
    int read_end = -1, write_end = -1;

    Pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0)
            throw Error(sentence("a pipe to another program cannot be made: ", std::strerror(errno)));
        read_end = ends[0];
        write_end = ends[1];
    }
    ~Pipe() {
        close_end(read_end);
        close_end(write_end);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    /// Hands an end over, which from now on never makes us wait.
    static int take(int& end) {
        fcntl(end, F_SETFL, O_NONBLOCK);
        return std::exchange(end, -1);
    }
};

/// While it lives, a write to a pipe without a reader fails in this thread instead of ending the program, whatever the
/// program does with SIGPIPE.
class WithoutBrokenPipeSignal {
  public:
    WithoutBrokenPipeSignal() {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigset_t pending;
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~WithoutBrokenPipeSignal() {
        const timespec no_time{};
        if (!was_pending_) sigtimedwait(&pipe_, nullptr, &no_time); // the one that our write made
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    WithoutBrokenPipeSignal(const WithoutBrokenPipeSignal&) = delete;
    WithoutBrokenPipeSignal& operator=(const WithoutBrokenPipeSignal&) = delete;

  private:
    sigset_t pipe_{}, before_{};
    bool was_pending_;
};

pid_t start(const std::string& command, const sigset_t& mask, const Pipe& in, const Pipe& out, const Pipe& err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read_end, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    std::string shell = "sh", option = "-c", text = command;
    std::array<char*, 4> arguments = {shell.data(), option.data(), text.data(), nullptr};
    pid_t child = -1;
    const int error = posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0) throw Error(sentence(excerpt(command), " cannot be started: ", std::strerror(error)));
    return child;
}

/// Appends what is there; closes the pipe at its end. @return whether there may be more
bool drain(int& end, std::string& text) {
    std::array<char, 16384> buffer;
    const ssize_t n = read(end, buffer.data(), buffer.size());
    if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) close_end(end);
    return n > 0;
}

} // namespace

ChildProcess::ChildProcess(const std::string& command, bool counts_unread) {
    Pipe in, out, err;
    {
        const WritingDown writing_down;
        pid_ = start(command, writing_down.mask_before(), in, out, err);
        killed_at_signal_ = KilledAtSignal(pid_);
    }
    in_ = Pipe::take(in.write_end);
    out_ = Pipe::take(out.read_end);
    err_ = Pipe::take(err.read_end);
    if (counts_unread) unread_ = std::exchange(in.read_end, -1);
}

ChildProcess::~ChildProcess() {
    close_end(in_);
    close_end(out_);
    if (end(moment_to_end).empty()) {
        kill();
        end(moment_to_die);
    } else {
        kill(); // whatever it left running
    }
    close_end(err_);
    close_end(unread_);
}

void ChildProcess::exchange(std::string_view& more_input, std::string& output, milliseconds most) {
    std::array<pollfd, 3> ends = {{{out_, POLLIN, 0}, {err_, POLLIN, 0}, {more_input.empty() ? -1 : in_, POLLOUT, 0}}};
    if (poll(ends.data(), ends.size(), static_cast<int>(most.count())) <= 0) return;
    if (ends[0].revents != 0) drain(out_, output);
    if (ends[1].revents != 0) read_complaints();
    if (ends[2].revents != 0) {
        const WithoutBrokenPipeSignal quiet;
        const ssize_t n = write(in_, more_input.data(), more_input.size());
        if (n > 0) more_input.remove_prefix(static_cast<std::size_t>(n));
        if (n < 0 && errno != EINTR && errno != EAGAIN) close_end(in_); // it reads no more; its answers still count
    }
}

void ChildProcess::read_complaints() {
    // No more at once than a pipe usually holds, so that a program that writes errors without end does not keep us
    // here.
    for (int i = 0; i < 4 && err_ >= 0 && drain(err_, complaints_); ++i)
        complaints_.erase(0, complaints_.size() - std::min(complaints_.size(), most_complaints));
}

std::string ChildProcess::end(milliseconds most) {
    const auto deadline = std::chrono::steady_clock::now() + most;
    while (!reaped_) {
        const pid_t ended = waitpid(pid_, &status_, WNOHANG);
        reaped_ = ended == pid_;
        read_complaints();
        if (reaped_ || std::chrono::steady_clock::now() >= deadline) break;
        std::this_thread::sleep_for(between_looks);
    }
    if (!reaped_) return "";
    return WIFSIGNALED(status_) ? sentence("signal ", WTERMSIG(status_))
                                : sentence("exit status ", WEXITSTATUS(status_));
}

std::size_t ChildProcess::unread() const {
    int bytes = 0;
    return unread_ >= 0 && ioctl(unread_, FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

void ChildProcess::close_input() { close_end(in_); }

void ChildProcess::kill() { ::kill(-pid_, SIGKILL); }

} // namespace discern
